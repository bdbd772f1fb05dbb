#include "repo/fsck.h"

#include <fmt/format.h>

#include "base/error.h"
#include "repo/fsck_report.h"

namespace pfetch::repo {

namespace {

using object::Kind;
using object::Oid;

std::optional<FsckSeverity> configurable_severity(std::string_view word) {
  if (word == "error") return FsckSeverity::error;
  if (word == "warn") return FsckSeverity::warn;
  if (word == "ignore") return FsckSeverity::ignore;
  return std::nullopt;
}

std::string_view trim(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && std::string_view(" \t\r").find(line.back()) != std::string_view::npos) line.remove_suffix(1);
  while (!line.empty() && std::string_view(" \t").find(line.front()) != std::string_view::npos) line.remove_prefix(1);
  return line;
}

}  // namespace

std::string FsckFinding::message(const Oid& oid) const {
  return fmt::format("object {}: {}: {}", oid.hex(), fsck_id_name(id), text);
}

FsckRules::FsckRules(bool strict) : strict_(strict) {
  for (std::size_t i = 0; i < fsck_id_count; ++i) {
    severities_[i] = default_severity(static_cast<FsckId>(i));
    if (strict && severities_[i] == FsckSeverity::warn) severities_[i] = FsckSeverity::error;
  }
}

bool FsckRules::configure(std::string_view id, std::string_view severity) {
  const auto known = fsck_id_from_name(id);
  if (!known) return false;
  const auto wanted = configurable_severity(severity);
  if (!wanted) {
    throw Error(ErrorCode::config,
                fmt::format("Unknown fsck message type: '{}' (for {}; use error, warn or ignore)", severity, id));
  }
  if (*wanted != FsckSeverity::error && default_severity(*known) == FsckSeverity::fatal) {
    throw Error(ErrorCode::config, fmt::format("Cannot demote {} to {}", fsck_id_name(*known), severity));
  }
  severities_[static_cast<std::size_t>(*known)] = *wanted;
  return true;
}

void FsckRules::add_skip_list(std::string_view text, std::string_view file) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto id = Oid::from_hex(line);
    if (!id) throw Error(ErrorCode::config, fmt::format("Invalid SHA-1: {} (in the skip list '{}')", line, file));
    skip(*id);
  }
}

std::vector<FsckFinding> FsckRules::check(const Oid& id, Kind kind, base::Bytes bytes,
                                          std::vector<FsckNamed>* named) const {
  FsckReport report(*this, id);
  switch (kind) {
    case Kind::commit:
      check_commit(base::as_text(bytes), report);
      break;
    case Kind::tree:
      check_tree(bytes, id, report, named);
      break;
    case Kind::tag:
      check_tag(base::as_text(bytes), report);
      break;
    case Kind::blob:
      break;
  }
  return report.take();
}

std::vector<FsckFinding> FsckRules::check_named(const FsckNamed& named, const object::Object* object,
                                                bool too_large) const {
  FsckReport report(*this, named.id);
  const bool modules = named.what == FsckNamed::What::gitmodules;
  const std::string_view name = modules ? ".gitmodules" : ".gitattributes";
  if (object == nullptr) {
    report.add(modules ? FsckId::gitmodules_missing : FsckId::gitattributes_missing,
               fmt::format("unable to read {} blob", name));
  } else if (object->kind != Kind::blob) {
    report.add(modules ? FsckId::gitmodules_blob : FsckId::gitattributes_blob,
               fmt::format("non-blob found at {}", name));
  } else if (too_large) {
    report.add(modules ? FsckId::gitmodules_large : FsckId::gitattributes_large,
               fmt::format("{} too large to parse", name));
  } else if (modules) {
    check_gitmodules(object->bytes.text(), report);
  } else {
    check_gitattributes(object->bytes.text(), report);
  }
  return report.take();
}

}  // namespace pfetch::repo
