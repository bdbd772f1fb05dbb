// Steps 6 and 7 of the eight on a large repository: the plain walk beside bitmaps and commit-graph, in one run.
//
// 1,000,000 commits, a fifth of them merges, 100,000 refs, 1,000 roots, of which 990 are commits that the refs reach
// and 10 have just come, each at the end of a line of 100 new commits. The plain way is to paint all roots, then to
// walk for all; with bitmaps step 7 runs first, and step 6 paints what it left.
//
//     reach_bench make DIRECTORY                  the repository, with git; takes a minute
//     reach_bench bitmaps|plain DIRECTORY FILE    measures one way; FILE gets "<seconds> <commits walked>"
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "graph/history.h"
#include "graph/paint.h"
#include "store/reader.h"

namespace {

using namespace pfetch;
using object::Oid;

constexpr std::size_t kCommits = 1'000'000;
constexpr std::size_t kRefs = 100'000;
constexpr std::size_t kReachedRoots = 990;
constexpr std::size_t kNewRoots = 10;
constexpr std::size_t kNewCommits = 100;  // from a new root to its tip

// As long as they are in the Linux repository, in the middle.
const std::string kMessage =
    "reach: hold the sets of refs by count\n\nSeveral commits have the same set of refs below them, so that copying it "
    "from "
    "child to parent takes time and memory for nothing. Count who holds a set instead, change it in place when nobody "
    "else does, and let it go with the last one.\n\nReported-by: A reader <reader@example.org>\nFixes: 0123456789ab "
    "(\"reach: paint refs in one pass\")\nSigned-off-by: C O Mitter <committer@example.org>\n";

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error(command + " failed");
}

void write_commit(std::ostream& stream, std::size_t mark, std::size_t parent, std::size_t merged) {
  stream << "commit refs/heads/main\nmark :" << mark << "\ncommitter C <c@x> " << 1'000'000'000 + 60 * mark
         << " +0000\ndata " << kMessage.size() << '\n'
         << kMessage << '\n';
  if (parent != 0) stream << "from :" << parent << '\n';
  if (merged != 0) stream << "merge :" << merged << '\n';
}

// A main line from which topics of up to five commits branch off and are merged some commits later.
void write_history(std::ostream& stream) {
  std::mt19937 random(1);
  std::size_t mark = 0, main_line = 0;
  const auto extend = [&](std::size_t& tip, std::size_t merged) {
    write_commit(stream, ++mark, tip, merged);
    tip = mark;
  };
  extend(main_line, 0);
  while (mark < kCommits) {
    std::size_t topic = main_line;
    const std::size_t topic_length = random() % 3 == 0 ? 0 : 1 + random() % 4;
    for (std::size_t i = 0; i < topic_length; ++i) extend(topic, 0);
    const std::size_t meanwhile = 1 + random() % 3;
    for (std::size_t i = 0; i < meanwhile; ++i) extend(main_line, 0);
    if (topic_length != 0) extend(main_line, topic);
  }
}

std::vector<Oid> read_marks(const std::string& path) {
  std::ifstream lines(path);
  std::vector<Oid> ids;
  for (std::string mark, hex; lines >> mark >> hex;) {
    const std::size_t number = std::stoul(mark.substr(1));
    if (number >= ids.size()) ids.resize(number + 1);
    ids[number] = Oid::from_hex(hex).value();
  }
  return ids;
}

void make_repository(const std::string& path) {
  run("git init -q --bare -b main " + path);
  const std::string import = "git -C " + path + " -c fastimport.unpackLimit=0 fast-import --quiet --force";
  {
    std::ofstream stream(path + "/stream");
    write_history(stream);
  }
  run(import + " --export-marks=" + path + "/marks < " + path + "/stream");
  const std::vector<Oid> ids = read_marks(path + "/marks");
  {
    std::ofstream refs(path + "/packed-refs");
    refs << "# pack-refs with: peeled fully-peeled sorted \n";
    for (std::size_t i = 0; i < kRefs; ++i) {
      const std::size_t commit = i == 0 ? ids.size() - 1 : 1 + i * (ids.size() - 1) / kRefs;
      refs << fmt::format("{} refs/heads/r{:06}\n", ids[commit].hex(), i);
    }
  }
  run("rm -f " + path + "/refs/heads/main && git -C " + path +
      " -c pack.writeReverseIndex=true repack -qadb && git -C " + path +
      " commit-graph write --reachable --no-progress");
  std::ofstream stream(path + "/stream");
  for (std::size_t i = 0; i < kNewRoots * kNewCommits; ++i) {
    write_commit(stream, kCommits * 2 + i, i % kNewCommits == 0 ? 0 : kCommits * 2 + i - 1, 0);
    if (i % kNewCommits == kNewCommits - 1) stream << "reset refs/heads/main\n";
  }
  stream.close();
  run(import + " --export-marks=" + path + "/new-marks < " + path + "/stream");
}

struct Question {
  std::vector<Oid> current;  // tips of our refs
  std::vector<Oid> tips;     // those, and the new ones
  std::vector<Oid> roots;
};

Question read_question(const std::string& path) {
  Question question;
  std::ifstream refs(path + "/packed-refs");
  std::string line;
  std::getline(refs, line);
  while (std::getline(refs, line)) question.current.push_back(Oid::from_hex(line.substr(0, Oid::hex_size)).value());
  question.tips = question.current;
  const std::vector<Oid> ids = read_marks(path + "/marks"), new_ids = read_marks(path + "/new-marks");
  std::mt19937 random(2);
  for (std::size_t i = 0; i < kReachedRoots; ++i) question.roots.push_back(ids[1 + random() % (ids.size() - 1)]);
  for (std::size_t i = 0; i < kNewRoots; ++i) {
    question.roots.push_back(new_ids[2 * kCommits + i * kNewCommits]);
    question.tips.push_back(new_ids[2 * kCommits + (i + 1) * kNewCommits - 1]);
  }
  return question;
}

// How many refs need a root, over all roots.
std::size_t step_6(graph::CommitGraph& graph, const Question& question, const std::vector<Oid>& roots) {
  std::vector<std::optional<graph::Position>> tips;
  std::vector<graph::Position> marks;
  if (roots.empty()) return 0;
  for (const Oid& tip : question.tips) tips.push_back(graph.find(tip));
  for (const Oid& root : roots) marks.push_back(graph.find(root).value());
  std::size_t needs = 0;
  for (const graph::Roaring& set : graph::paint(graph, tips, marks)) needs += set.cardinality();
  return needs;
}

std::vector<Oid> step_7(graph::Reachability& reachability, const Question& question) {
  const std::vector<bool> reached = reachability.reached(question.current, question.roots);
  std::vector<Oid> left;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) left.push_back(question.roots[i]);
  }
  return left;
}

struct Measured {
  double seconds;  // of both steps, and of opening what they need
  std::size_t commits_walked;
};

Measured measure(const std::string& objects, const Question& question, bool plain) {
  store::Reader reader({objects});
  graph::History::Options options;
  options.objects_directories = {objects};
  options.history_is_altered = plain;
  options.has = [&reader](const Oid& id) { return reader.contains(id); };
  graph::History history(reader, options);
  const auto started = std::chrono::steady_clock::now();
  std::size_t needs = 0;
  std::vector<Oid> left;
  if (history.reachability_is_cheap()) {
    left = step_7(history.reachability(), question);
    needs = step_6(history.graph(), question, left);
  } else {
    needs = step_6(history.graph(), question, question.roots);
    left = step_7(history.reachability(), question);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  for (const std::string& warning : history.warnings()) fmt::print("warning: {}\n", warning);
  if (left.size() != kNewRoots || needs == 0) throw std::runtime_error("wrong answer");
  return {seconds, history.graph().commits_walked()};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "make") {
    make_repository(words[1]);
    return 0;
  }
  if (words.size() != 3) {
    fmt::print("usage: reach_bench make DIRECTORY | reach_bench bitmaps|plain DIRECTORY FILE\n");
    return 2;
  }
  const Measured measured = measure(words[1] + "/objects", read_question(words[1]), words[0] == "plain");
  std::ofstream(words[2]) << measured.seconds << ' ' << measured.commits_walked << '\n';
}
