#include "repo/fsck_ids.h"

#include <array>

#include "base/ascii.h"

namespace pfetch::repo {

namespace {

struct Message {
  FsckId id;
  std::string_view name;
  FsckSeverity severity;
};

constexpr auto fatal = FsckSeverity::fatal;
constexpr auto error = FsckSeverity::error;
constexpr auto warn = FsckSeverity::warn;
constexpr auto info = FsckSeverity::info;
constexpr auto ignore = FsckSeverity::ignore;

// In the order of the enumeration.
constexpr std::array<Message, fsck_id_count> messages{{
    {FsckId::nul_in_header, "nulInHeader", fatal},
    {FsckId::unterminated_header, "unterminatedHeader", fatal},
    {FsckId::bad_date, "badDate", error},
    {FsckId::bad_date_overflow, "badDateOverflow", error},
    {FsckId::bad_email, "badEmail", error},
    {FsckId::bad_name, "badName", error},
    {FsckId::bad_object_sha1, "badObjectSha1", error},
    {FsckId::bad_parent_sha1, "badParentSha1", error},
    {FsckId::bad_timezone, "badTimezone", error},
    {FsckId::bad_tree, "badTree", error},
    {FsckId::bad_tree_sha1, "badTreeSha1", error},
    {FsckId::bad_type, "badType", error},
    {FsckId::duplicate_entries, "duplicateEntries", error},
    {FsckId::missing_author, "missingAuthor", error},
    {FsckId::missing_committer, "missingCommitter", error},
    {FsckId::missing_email, "missingEmail", error},
    {FsckId::missing_name_before_email, "missingNameBeforeEmail", error},
    {FsckId::missing_object, "missingObject", error},
    {FsckId::missing_space_before_date, "missingSpaceBeforeDate", error},
    {FsckId::missing_space_before_email, "missingSpaceBeforeEmail", error},
    {FsckId::missing_tag, "missingTag", error},
    {FsckId::missing_tag_entry, "missingTagEntry", error},
    {FsckId::missing_tree, "missingTree", error},
    {FsckId::missing_type, "missingType", error},
    {FsckId::missing_type_entry, "missingTypeEntry", error},
    {FsckId::multiple_authors, "multipleAuthors", error},
    {FsckId::tree_not_sorted, "treeNotSorted", error},
    {FsckId::unknown_type, "unknownType", error},
    {FsckId::zero_padded_date, "zeroPaddedDate", error},
    {FsckId::gitmodules_missing, "gitmodulesMissing", error},
    {FsckId::gitmodules_blob, "gitmodulesBlob", error},
    {FsckId::gitmodules_large, "gitmodulesLarge", error},
    {FsckId::gitmodules_name, "gitmodulesName", error},
    {FsckId::gitmodules_symlink, "gitmodulesSymlink", error},
    {FsckId::gitmodules_url, "gitmodulesUrl", error},
    {FsckId::gitmodules_path, "gitmodulesPath", error},
    {FsckId::gitmodules_update, "gitmodulesUpdate", error},
    {FsckId::gitattributes_missing, "gitattributesMissing", error},
    {FsckId::gitattributes_large, "gitattributesLarge", error},
    {FsckId::gitattributes_line_length, "gitattributesLineLength", error},
    {FsckId::gitattributes_blob, "gitattributesBlob", error},
    {FsckId::empty_name, "emptyName", warn},
    {FsckId::full_pathname, "fullPathname", warn},
    {FsckId::has_dot, "hasDot", warn},
    {FsckId::has_dotdot, "hasDotdot", warn},
    {FsckId::has_dotgit, "hasDotgit", warn},
    {FsckId::null_sha1, "nullSha1", warn},
    {FsckId::zero_padded_filemode, "zeroPaddedFilemode", warn},
    {FsckId::nul_in_commit, "nulInCommit", warn},
    {FsckId::bad_filemode, "badFilemode", info},
    {FsckId::gitmodules_parse, "gitmodulesParse", info},
    {FsckId::gitignore_symlink, "gitignoreSymlink", info},
    {FsckId::gitattributes_symlink, "gitattributesSymlink", info},
    {FsckId::mailmap_symlink, "mailmapSymlink", info},
    {FsckId::bad_tag_name, "badTagName", info},
    {FsckId::missing_tagger_entry, "missingTaggerEntry", info},
    {FsckId::extra_header_entry, "extraHeaderEntry", ignore},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].id != static_cast<FsckId>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

std::string_view fsck_id_name(FsckId id) {
  return messages[static_cast<std::size_t>(id)].name;
}

FsckSeverity default_severity(FsckId id) {
  return messages[static_cast<std::size_t>(id)].severity;
}

std::optional<FsckId> fsck_id_from_name(std::string_view name) {
  for (const Message& message : messages) {
    if (base::same_ignoring_case(name, message.name)) return message.id;
  }
  return std::nullopt;
}

}  // namespace pfetch::repo
