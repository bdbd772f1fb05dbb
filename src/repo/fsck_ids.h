// The messages of fsck: their ids as people configure them, and how severe each is unless configured (git-fsck(1),
// "FSCK MESSAGES"; those of Git 2.39 that concern a single object).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pfetch::repo {

enum class FsckSeverity : std::uint8_t { ignore, info, warn, error, fatal };

enum class FsckId : std::uint8_t {
  nul_in_header,
  unterminated_header,
  bad_date,
  bad_date_overflow,
  bad_email,
  bad_name,
  bad_object_sha1,
  bad_parent_sha1,
  bad_timezone,
  bad_tree,
  bad_tree_sha1,
  bad_type,
  duplicate_entries,
  missing_author,
  missing_committer,
  missing_email,
  missing_name_before_email,
  missing_object,
  missing_space_before_date,
  missing_space_before_email,
  missing_tag,
  missing_tag_entry,
  missing_tree,
  missing_type,
  missing_type_entry,
  multiple_authors,
  tree_not_sorted,
  unknown_type,
  zero_padded_date,
  gitmodules_missing,
  gitmodules_blob,
  gitmodules_large,
  gitmodules_name,
  gitmodules_symlink,
  gitmodules_url,
  gitmodules_path,
  gitmodules_update,
  gitattributes_missing,
  gitattributes_large,
  gitattributes_line_length,
  gitattributes_blob,
  empty_name,
  full_pathname,
  has_dot,
  has_dotdot,
  has_dotgit,
  null_sha1,
  zero_padded_filemode,
  nul_in_commit,
  bad_filemode,
  gitmodules_parse,
  gitignore_symlink,
  gitattributes_symlink,
  mailmap_symlink,
  bad_tag_name,
  missing_tagger_entry,
  extra_header_entry,
  count_,
};
inline constexpr std::size_t fsck_id_count = static_cast<std::size_t>(FsckId::count_);

// "zeroPaddedFilemode"
std::string_view fsck_id_name(FsckId id);
FsckSeverity default_severity(FsckId id);
// In any case, as configuration keys come in lower case; nullopt for an id that is not known.
std::optional<FsckId> fsck_id_from_name(std::string_view name);

}  // namespace pfetch::repo
