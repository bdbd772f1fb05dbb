#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "cli/options.h"

namespace pfetch::cli {

namespace {

// Runs the parser; returns the help text if that was asked for.
std::string parse(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> extras = app.remaining(true);
    const std::string first = extras.empty() ? "" : extras.front();
    throw Error(ErrorCode::usage, first.starts_with("-") ? "unknown option '" + first + "'" : "Too many arguments.");
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, error.what());
  }
  return {};
}

void add_output_options(CLI::App& app, OutputOptions& output) {
  app.add_flag("-q,--quiet", output.quiet, "say only what went wrong");
  app.add_flag("-v,--verbose", output.verbose, "say more");
  app.add_flag_function(
      "--progress,!--no-progress", [&output](std::int64_t count) { output.progress = count > 0; },
      "show progress even if standard error is no terminal");
  app.add_flag("--json", output.json, "print a result object on standard output");
  app.add_option("--trace", output.trace, "write a timeline of all stages (Chrome trace events) to FILE");
}

// Options that git has and pfetch has not: refused by name, never ignored.
void refuse(CLI::App& app, const std::string& name, const std::string& why, bool takes_value = false) {
  const auto say_no = [name, why](const auto&) {
    const std::string long_name = name.substr(name.find("--"));
    throw Error(ErrorCode::unsupported,
                "option '" + long_name.substr(0, long_name.find(',')) + "' is not supported yet: " + why);
  };
  if (takes_value) {
    app.add_option_function<std::string>(name, say_no, "not supported yet")->expected(0, 1);
  } else {
    app.add_flag_function(name, say_no, "not supported yet");
  }
}

std::int64_t whole_number(const std::string& text, std::int64_t least, const std::string& message,
                          ErrorCode code = ErrorCode::refused) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw Error(code, message);
  }
  return value;
}

}  // namespace

CloneOptions parse_clone(const std::vector<std::string>& arguments) {
  CloneOptions options;
  command::CloneRequest& request = options.request;
  CLI::App app("Clone a repository; its worktree is finished when the last byte has arrived.", "pfetch clone");
  std::string depth;
  std::string jobs;
  app.add_option("repository", request.url, "URL or path of the repository");
  app.add_option("directory", request.directory, "where it goes; by default the last part of the URL");
  app.add_option("--depth", depth, "no more than DEPTH commits from each tip");
  app.add_option("--shallow-since", request.since, "only commits after a date");
  app.add_option("--shallow-exclude", request.exclude, "no commits that this ref of the remote reaches")
      ->allow_extra_args(false);
  app.add_flag_function(
      "--reject-shallow,!--no-reject-shallow", [&](std::int64_t count) { request.reject_shallow = count > 0; },
      "fail if the source is shallow");
  app.add_option("-b,--branch", request.branch, "check out this branch or tag instead of the remote's HEAD");
  app.add_option("--revision", request.revision, "bring exactly this ref or commit, with HEAD detached");
  app.add_flag_function(
      "--single-branch,!--no-single-branch", [&](std::int64_t count) { request.single_branch = count > 0; },
      "only the history of one branch");
  app.add_flag("--tags,!--no-tags", request.tags, "tags too (the default)");
  app.add_flag("--bare", request.bare, "a repository without a worktree");
  app.add_flag("--mirror", request.mirror, "a mirror: bare, with all refs");
  app.add_flag("-n,--no-checkout", request.no_checkout, "write no files");
  app.add_option("-o,--origin", request.origin, "name of the remote instead of 'origin'");
  app.add_option("-c,--config", request.config, "set key=value in the new repository")->allow_extra_args(false);
  app.add_option("--template", request.template_directory, "directory of templates");
  app.add_option("--separate-git-dir", request.separate_git_dir, "put the repository there");
  app.add_option("--reference", request.references, "borrow objects of a local repository")->allow_extra_args(false);
  app.add_option("--reference-if-able", request.references_if_able, "the same, if it is there")
      ->allow_extra_args(false);
  app.add_flag("--dissociate", request.dissociate, "borrow only while cloning");
  app.add_option("-u,--upload-pack", request.upload_pack, "path of git-upload-pack on the other side");
  app.add_option("-j,--jobs", jobs, "worker threads (default: one for each core)");
  app.add_option("--server-option", request.server_options, "passed to a server that speaks protocol v2")
      ->allow_extra_args(false);
  app.add_flag_function(
      "-l,--local,!--no-local", [&](std::int64_t count) { request.no_local = count <= 0; },
      "accepted: objects come by the pipeline either way, as with --no-local");
  app.add_flag_function(
      "--hardlinks,!--no-hardlinks", [](std::int64_t) {}, "accepted: nothing is ever linked");
  refuse(app, "--filter", "partial clone is not built", true);
  refuse(app, "--recurse-submodules,--recursive", "submodules are not built", true);
  refuse(app, "--sparse", "sparse checkout is not built");
  refuse(app, "--bundle-uri", "bundles are not built", true);
  refuse(app, "-s,--shared", "use --reference", false);
  add_output_options(app, options.output);
  // An empty value behind '=' means none, which CLI11 would look for in the next word.
  std::vector<std::string> words;
  for (const std::string& word : arguments) {
    if (word == "--template=") {
      request.template_directory = "";
    } else {
      words.push_back(word);
    }
  }
  options.help = parse(app, words);
  if (!options.help.empty()) return options;
  if (request.url.empty()) throw Error(ErrorCode::usage, "You must specify a repository to clone.");
  if (!depth.empty()) {
    request.depth = static_cast<int>(
        std::min<std::int64_t>(whole_number(depth, 1, "depth " + depth + " is not a positive number"), 0x7fffffff));
  }
  if (!jobs.empty()) {
    request.jobs = static_cast<unsigned>(std::min<std::int64_t>(
        std::max<std::int64_t>(0, whole_number(jobs, INT64_MIN, "'" + jobs + "' is not a number of jobs")), 1024));
  }
  if (request.mirror) request.bare = true;
  request.quiet = options.output.quiet;
  request.verbose = options.output.verbose;
  return options;
}

IndexPackOptions parse_index_pack(const std::vector<std::string>& arguments) {
  IndexPackOptions options;
  command::IndexPackRequest& request = options.request;
  CLI::App app("Build the index of a pack.", "pfetch index-pack");
  std::string threads;
  std::string max_input;
  std::string version;
  app.add_option("pack-file", request.pack_file, "the pack");
  app.add_flag("--stdin", request.from_stdin, "read the pack from standard input");
  app.add_option("-o", request.output, "where the index goes");
  bool named_only = false;  // these take a value behind '=' only, and have been taken out before
  app.add_flag("--keep", named_only, "write a .keep file; --keep=<message> puts a text in it");
  app.add_flag("--strict", named_only, "refuse duplicate and broken objects; --strict=<id>=<severity>,...");
  app.add_flag("--fsck-objects", named_only, "refuse broken objects; --fsck-objects=<id>=<severity>,...");
  app.add_flag("--fix-thin", request.fix_thin, "complete a thin pack (with --stdin)");
  app.add_flag("--rev-index,!--no-rev-index", request.write_rev, "write a .rev file");
  app.add_option("--threads", threads, "worker threads");
  app.add_option("--max-input-size", max_input, "refuse a pack of more bytes");
  app.add_option("--index-version", version, "2, or 2,<offset>");
  refuse(app, "--verify", "use git index-pack --verify");
  add_output_options(app, options.output);
  std::vector<std::string> words;
  for (const std::string& word : arguments) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--keep") {
      request.keep_message = value;
    } else if (name == "--strict") {
      request.strict = true;
      request.fsck_severities += value + ",";
    } else if (name == "--fsck-objects") {
      request.check_objects = true;
      request.fsck_severities += value + ",";
    } else {
      words.push_back(word);
    }
  }
  options.help = parse(app, words);
  if (!options.help.empty()) return options;
  if (!threads.empty()) {
    request.threads = static_cast<unsigned>(std::min<std::int64_t>(
        whole_number(threads, 0, "bad number of threads '" + threads + "'", ErrorCode::usage), 1024));
  }
  if (!max_input.empty()) {
    request.max_input_bytes =
        static_cast<std::uint64_t>(whole_number(max_input, 0, "bad --max-input-size '" + max_input + "'"));
  }
  if (!version.empty()) {
    if (!version.starts_with("2")) throw Error(ErrorCode::usage, "bad index version '" + version + "'");
    if (version.size() > 2) {
      request.small_offset_max =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(std::stoull(version.substr(2), nullptr, 0), 0x7fffffff));
    }
  }
  if (request.pack_file.empty() && !request.from_stdin) {
    throw Error(ErrorCode::usage, "name a pack file, or use --stdin");
  }
  return options;
}

}  // namespace pfetch::cli
