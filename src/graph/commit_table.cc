#include "graph/commit_table.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "object/commit_view.h"

namespace pfetch::graph {

namespace {

constexpr Position empty_slot = std::numeric_limits<Position>::max();
constexpr std::uint32_t not_in_file = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t slots_at_first = 64;
constexpr std::size_t edges_max = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t parents_max = (std::size_t{1} << 29) - 1;  // of one commit, what Row can count

}  // namespace

CommitTable::CommitTable(object::ObjectSource& objects, std::span<const Oid> cuts, const CommitGraphFile* file,
                         std::function<bool(const Oid&)> has)
    : objects_(objects),
      cuts_(cuts.begin(), cuts.end()),
      file_(file),
      has_(std::move(has)),
      slots_(slots_at_first, empty_slot) {}

std::optional<Position> CommitTable::find(const Oid& id) {
  const Position known = slots_[slot_of(id)];
  if (known != empty_slot && rows_[known].read) return known;
  const std::uint32_t in_file = place_in_file(id);
  if (!is_commit(id, in_file)) return std::nullopt;
  return position_of(id, in_file);
}

std::uint32_t CommitTable::place_in_file(const Oid& id) const {
  return file_ != nullptr ? file_->find(id).value_or(not_in_file) : not_in_file;
}

bool CommitTable::is_commit(const Oid& id, std::uint32_t in_file) {
  if (has_ && in_file != not_in_file) return has_(id);
  const auto info = objects_.info(id);
  return info && info->kind == object::Kind::commit;
}

std::span<const Position> CommitTable::parents(Position position) {
  if (!rows_[position].walked) {
    if (!rows_[position].cut && !read(position)) {
      throw Error(ErrorCode::corrupt, fmt::format("commit {} is not here any more", ids_[position].hex()));
    }
    for (std::uint32_t i = 0; i < rows_[position].parent_count; ++i) {
      const Position parent = parents_[rows_[position].first_parent + i];
      if (!read(parent)) {
        throw Error(ErrorCode::corrupt, fmt::format("commit {} is not here, and commit {} names it as its parent",
                                                    ids_[parent].hex(), ids_[position].hex()));
      }
    }
    rows_[position].walked = 1;
    ++commits_walked_;
  }
  const Row& row = rows_[position];
  return std::span(parents_).subspan(row.first_parent, row.parent_count);
}

std::int64_t CommitTable::date(Position position) {
  if (!read(position)) {
    throw Error(ErrorCode::corrupt, fmt::format("commit {} is not here any more", ids_[position].hex()));
  }
  return rows_[position].date;
}

std::uint64_t CommitTable::generation(Position position) {
  if (file_ == nullptr || in_file_[position] == not_in_file) return generation_unknown;
  return file_->generation(in_file_[position]);
}

bool CommitTable::read(Position position) {
  if (rows_[position].read) return true;
  if (file_ == nullptr || in_file_[position] == not_in_file) return read_object(position);
  read_file(position);
  return true;
}

bool CommitTable::read_object(Position position) {
  const Oid id = ids_[position];
  const auto object = objects_.read(id);
  if (!object) return false;
  if (object->kind != object::Kind::commit) {
    throw Error(ErrorCode::corrupt,
                fmt::format("object {} is a {}, not a commit", id.hex(), object::kind_name(object->kind)));
  }
  const object::CommitView commit(id, object->bytes.view());
  const std::size_t first = parents_.size();
  if (!rows_[position].cut) {
    if (commit.parent_count() > parents_max || first + commit.parent_count() > edges_max) {
      throw Error(ErrorCode::refused, fmt::format("commit {}: too many parents", id.hex()));
    }
    for (const Oid parent : commit.parents()) parents_.push_back(position_of(parent, place_in_file(parent)));
  }
  set(position, commit.committer_date(), first);
  return true;
}

void CommitTable::read_file(Position position) {
  const std::size_t first = parents_.size();
  if (!rows_[position].cut) {
    std::vector<std::uint32_t> parents;
    file_->read_parents(in_file_[position], parents);
    for (const std::uint32_t parent : parents) parents_.push_back(position_of(file_->id_at(parent), parent));
  }
  set(position, file_->date(in_file_[position]), first);
}

void CommitTable::set(Position position, std::int64_t date, std::size_t first_parent) {
  Row& row = rows_[position];
  row.date = date;
  row.first_parent = static_cast<std::uint32_t>(first_parent);
  row.parent_count = static_cast<std::uint32_t>(parents_.size() - first_parent);
  row.read = 1;
}

Position CommitTable::position_of(const Oid& id, std::uint32_t in_file) {
  std::size_t slot = slot_of(id);
  if (slots_[slot] != empty_slot) return slots_[slot];
  if (ids_.size() + 1 > slots_.size() / 4 * 3) {
    grow_slots();
    slot = slot_of(id);
  }
  if (ids_.size() >= empty_slot) throw Error(ErrorCode::refused, "too many commits");
  slots_[slot] = static_cast<Position>(ids_.size());
  ids_.push_back(id);
  rows_.emplace_back().cut = cuts_.contains(id) ? 1 : 0;
  if (file_ != nullptr) in_file_.push_back(in_file);
  return slots_[slot];
}

// That of the id, or the empty one where it belongs.
std::size_t CommitTable::slot_of(const Oid& id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<Oid>{}(id)&mask;
  while (slots_[slot] != empty_slot && ids_[slots_[slot]] != id) slot = (slot + 1) & mask;
  return slot;
}

void CommitTable::grow_slots() {
  slots_.assign(slots_.size() * 2, empty_slot);
  for (std::size_t i = 0; i < ids_.size(); ++i) slots_[slot_of(ids_[i])] = static_cast<Position>(i);
}

}  // namespace pfetch::graph
