// Fsck of trees: names that must not be checked out, modes, order.
#include <array>

#include "base/error.h"
#include "object/dot_names.h"
#include "object/tree_view.h"
#include "repo/fsck_report.h"

namespace pfetch::repo {

namespace {

using object::TreeEntry;

// Each is reported once, however many entries have it, and in this order.
enum Flaw : std::uint16_t {
  null_id,
  full_path,
  dot,
  dotdot,
  dotgit,
  zero_padded,
  bad_mode,
  duplicates,
  unsorted,
  flaw_count,
};

struct FlawMessage {
  FsckId id;
  const char* text;
};
constexpr std::array<FlawMessage, flaw_count> flaw_messages{{
    {FsckId::null_sha1, "contains entries pointing to null sha1"},
    {FsckId::full_pathname, "contains full pathnames"},
    {FsckId::has_dot, "contains '.'"},
    {FsckId::has_dotdot, "contains '..'"},
    {FsckId::has_dotgit, "contains '.git'"},
    {FsckId::zero_padded_filemode, "contains zero-padded file modes"},
    {FsckId::bad_filemode, "contains bad file modes"},
    {FsckId::duplicate_entries, "contains duplicate file entries"},
    {FsckId::tree_not_sorted, "not properly sorted"},
}};

bool is_any_dot_name(std::string_view name, const object::DotName& dot_name) {
  return object::is_hfs_dot_name(name, dot_name.word) || object::is_ntfs_dot_name(name, dot_name);
}

class TreeCheck {
 public:
  TreeCheck(base::Bytes bytes, FsckReport& report, std::vector<FsckNamed>* named)
      : report_(report), named_(named), entry_begin_(base::as_text(bytes).data()) {}

  void entry(const TreeEntry& entry) {
    check_name(entry);
    check_special(entry);
    check_mode(entry);
    check_order(entry);
    before_ = entry;
    has_before_ = true;
    entry_begin_ = reinterpret_cast<const char*>(entry.raw_id) + object::Oid::raw_size;
  }

  void report_flaws() {
    for (std::size_t i = 0; i < flaw_count; ++i) {
      if (flaws_[i]) report_.add(flaw_messages[i].id, flaw_messages[i].text);
    }
  }

 private:
  void check_name(const TreeEntry& entry) {
    flaws_[null_id] |= entry.id().is_null();
    flaws_[full_path] |= entry.name.find('/') != std::string_view::npos;
    flaws_[dot] |= entry.name == ".";
    flaws_[dotdot] |= entry.name == "..";
    flaws_[dotgit] |= object::is_hfs_dot_name(entry.name, "git") || object::is_ntfs_dot_git(entry.name);
  }

  void gitmodules(const TreeEntry& entry) {
    if (entry.is_symlink()) {
      report_.add(FsckId::gitmodules_symlink, ".gitmodules is a symbolic link");
    } else if (named_ != nullptr) {
      named_->push_back({entry.id(), FsckNamed::What::gitmodules});
    }
  }

  void check_special(const TreeEntry& entry) {
    if (is_any_dot_name(entry.name, object::dot_gitmodules)) gitmodules(entry);
    if (is_any_dot_name(entry.name, object::dot_gitattributes)) {
      if (entry.is_symlink()) {
        report_.add(FsckId::gitattributes_symlink, ".gitattributes is a symlink");
      } else if (named_ != nullptr) {
        named_->push_back({entry.id(), FsckNamed::What::gitattributes});
      }
    }
    if (entry.is_symlink()) {
      if (is_any_dot_name(entry.name, object::dot_gitignore)) {
        report_.add(FsckId::gitignore_symlink, ".gitignore is a symlink");
      }
      if (is_any_dot_name(entry.name, object::dot_mailmap)) {
        report_.add(FsckId::mailmap_symlink, ".mailmap is a symlink");
      }
    }
    // A backslash separates directories on Windows, and only there.
    for (std::size_t at = entry.name.find('\\'); at != std::string_view::npos; at = entry.name.find('\\', at + 1)) {
      const std::string_view rest = entry.name.substr(at + 1);
      flaws_[dotgit] |= object::is_ntfs_dot_git(rest);
      if (object::is_ntfs_dot_name(rest, object::dot_gitmodules)) gitmodules(entry);
    }
  }

  void check_mode(const TreeEntry& entry) {
    flaws_[zero_padded] |= *entry_begin_ == '0';
    switch (entry.mode) {
      case object::mode_executable:
      case object::mode_file:
      case object::mode_symlink:
      case object::mode_tree:
      case object::mode_gitlink:
        return;
      case 0100664:
        flaws_[bad_mode] |= report_.rules().strict();
        return;  // written by old tools, and harmless
      default:
        flaws_[bad_mode] = true;
    }
  }

  // A file and a directory of one name need not be neighbours ("a", "a.b", "a/"), so the files that the current name
  // may still turn out to repeat are kept: each is a beginning of it, followed by what sorts before '/'.
  void check_order(const TreeEntry& entry) {
    while (!files_.empty()) {
      const std::string_view file = files_.back();
      const bool begins = entry.name.substr(0, file.size()) == file;
      if (begins && entry.name.size() == file.size()) flaws_[duplicates] = true;
      if (begins && (entry.name.size() == file.size() || static_cast<unsigned char>(entry.name[file.size()]) < '/')) {
        break;
      }
      files_.pop_back();
    }
    if (has_before_) {
      if (before_.name == entry.name) {
        flaws_[duplicates] = true;
      } else if (object::compare_tree_names(before_.name, before_.is_tree(), entry.name, entry.is_tree()) > 0) {
        flaws_[unsorted] = true;
      }
    }
    if (!entry.is_tree()) files_.push_back(entry.name);
  }

  FsckReport& report_;
  std::vector<FsckNamed>* named_;
  const char* entry_begin_;  // of the entry at hand: its mode's first digit
  std::array<bool, flaw_count> flaws_{};
  TreeEntry before_;
  bool has_before_ = false;
  std::vector<std::string_view> files_;
};

}  // namespace

void check_tree(base::Bytes bytes, const object::Oid& id, FsckReport& report, std::vector<FsckNamed>* named) {
  TreeCheck check(bytes, report, named);
  bool broken = false;
  try {
    const object::TreeView tree(id, bytes);
    for (const TreeEntry& entry : tree) check.entry(entry);
  } catch (const Error&) {
    broken = true;
  }
  if (broken) report.add(FsckId::bad_tree, "cannot be parsed as a tree");
  check.report_flaws();
}

}  // namespace pfetch::repo
