// Who did it, and when: the identity that reflogs record.
//
// The rules are those of git-commit-tree(1), git-var(1) and the variables user.* and committer.* of git-config(1).
// Plain values in, plain values out: reading the configuration is the caller's. `IdentSources::from_environment` reads
// the environment and the password database (getpwuid_r). Any thread. Throws ErrorCode::config for a date that cannot
// be read and, when `strict`, for a missing identity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pfetch::repo {

struct IdentSources {
  // In the order in which they are asked. An empty name is no name; an empty mail address is an address.
  std::optional<std::string> env_name{};    // GIT_COMMITTER_NAME
  std::optional<std::string> env_email{};   // GIT_COMMITTER_EMAIL
  std::optional<std::string> env_date{};    // GIT_COMMITTER_DATE
  std::optional<std::string> role_name{};   // committer.name
  std::optional<std::string> role_email{};  // committer.email
  std::optional<std::string> user_name{};   // user.name
  std::optional<std::string> user_email{};  // user.email
  std::optional<std::string> mail{};        // EMAIL
  std::string login{};                      // of the password database
  std::string real_name{};                  // its first GECOS field, '&' replaced
  std::string host{};                       // "name.domain"; empty: looked up when needed, which may ask the resolver
  bool strict = false;                      // refuse what had to be guessed (a commit); false: take it (a reflog)
  bool use_config_only = false;             // user.useConfigOnly; only looked at when strict

  // Fills what does not come from the configuration.
  static IdentSources from_environment();
};

struct Ident {
  std::string name;
  std::string email;
  std::int64_t seconds = 0;  // since the epoch
  int zone = 0;              // as it is written: 130 is +0130, one hour and a half

  std::string who() const;   // "Name <mail>"
  std::string line() const;  // "Name <mail> 1600000000 +0130"
};

// `now` is in seconds since the epoch, used (with the local zone) when no date is set.
Ident committer_ident(const IdentSources& sources, std::int64_t now);

// The date formats that are taken: "[@]<seconds> [<zone>]", ISO 8601 and RFC 2822. Git's looser spellings are not.
struct ParsedDate {
  std::int64_t seconds = 0;
  int zone = 0;
};
std::optional<ParsedDate> parse_date(std::string_view text);

// The offset of local time at `seconds`, as it is written (130 is +0130).
int local_zone(std::int64_t seconds);

}  // namespace pfetch::repo
