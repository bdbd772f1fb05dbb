#include "session/local_changes.h"

#include <optional>

#include "object/tree_view.h"

namespace pfetch::session {

namespace {

using checkout::FileState;

bool is_absent(FileState state) {
  return state == FileState::missing || state == FileState::unreachable || state == FileState::directory;
}

char letter_of(FileState state) {
  if (is_absent(state)) return 'D';
  return state == FileState::other_type ? 'T' : 'M';
}

bool is_same_type(std::uint32_t one, std::uint32_t other) {
  return (one & object::mode_type_mask) == (other & object::mode_type_mask);
}

// nullopt: a file that was staged as new and is gone is no change.
std::optional<char> letter_of(const checkout::PathChange& staged, std::optional<FileState> unclean) {
  if (!staged.before) return staged.after ? 'D' : 'A';  // neither: it is only meant to be added
  const bool absent = unclean && is_absent(*unclean);
  if (!staged.after) return absent ? std::nullopt : std::optional('A');
  if (absent) return 'D';
  const bool other_type = !is_same_type(staged.before.mode, staged.after.mode) || unclean == FileState::other_type;
  return other_type ? 'T' : 'M';
}

}  // namespace

std::vector<LocalChange> list_local_changes(std::span<const checkout::PathChange> staged,
                                            std::span<const UncleanFile> unclean) {
  std::vector<LocalChange> list;
  auto file = unclean.begin();
  for (const checkout::PathChange& change : staged) {
    for (; file != unclean.end() && file->path < change.path; ++file) {
      list.push_back({letter_of(file->state), std::string(file->path)});
    }
    std::optional<FileState> state;
    if (file != unclean.end() && file->path == change.path) state = file++->state;
    if (const auto letter = letter_of(change, state)) list.push_back({*letter, std::string(change.path)});
  }
  for (; file != unclean.end(); ++file) list.push_back({letter_of(file->state), std::string(file->path)});
  return list;
}

}  // namespace pfetch::session
