#include "graph/commit_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "object/commit_view.h"

namespace pfetch::graph {

namespace {

constexpr Position empty_slot = std::numeric_limits<Position>::max();
constexpr std::size_t slots_at_first = 64;
constexpr std::size_t edges_max = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t parents_max = (std::size_t{1} << 29) - 1;  // of one commit, what Row can count

}  // namespace

CommitTable::CommitTable(object::ObjectSource& objects, std::span<const Oid> cuts)
    : objects_(objects), cuts_(cuts.begin(), cuts.end()), slots_(slots_at_first, empty_slot) {}

std::optional<Position> CommitTable::find(const Oid& id) {
  const Position known = slots_[slot_of(id)];
  if (known != empty_slot && rows_[known].read) return known;
  const auto info = objects_.info(id);
  if (!info || info->kind != object::Kind::commit) return std::nullopt;
  return position_of(id);
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

bool CommitTable::read(Position position) {
  if (rows_[position].read) return true;
  const Oid id = ids_[position];
  const auto object = objects_.read(id);
  if (!object) return false;
  if (object->kind != object::Kind::commit) {
    throw Error(ErrorCode::corrupt,
                fmt::format("object {} is a {}, not a commit", id.hex(), object::kind_name(object->kind)));
  }
  const object::CommitView commit(id, object->bytes.view());
  const std::size_t count = rows_[position].cut ? 0 : commit.parent_count();
  if (count > parents_max || parents_.size() + count > edges_max) {
    throw Error(ErrorCode::refused, fmt::format("commit {}: too many parents", id.hex()));
  }
  const auto first = static_cast<std::uint32_t>(parents_.size());
  for (std::size_t i = 0; i < count; ++i) parents_.push_back(position_of(commit.parent_id(i)));
  Row& row = rows_[position];
  row.date = commit.committer_date();
  row.first_parent = first;
  row.parent_count = static_cast<std::uint32_t>(count);
  row.read = 1;
  return true;
}

Position CommitTable::position_of(const Oid& id) {
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
