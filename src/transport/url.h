// Where a repository is: the URL forms that Git takes, and who may use which of them.
//
// Pure functions on text; the one question to the file system (is there such a directory?) is asked through a probe.
// Forms (git-clone, "GIT URLS"): a path; file://; ssh:// (and git+ssh://, ssh+git://); [user@]host:path, when a colon
// comes before any slash and no such directory exists; git://; http(s)://. `<helper>::<address>` and unknown schemes
// are named as external, so that a refusal can say which. Throws ErrorCode::usage for a URL that cannot be read and
// ErrorCode::refused for one that would smuggle an option into ssh or that the policy does not allow.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pfetch::transport {

enum class Scheme { path, file, ssh, git, http, external };

struct Url {
  Scheme scheme = Scheme::path;
  std::string protocol;   // the name that protocol.<name>.allow knows: "file" for paths too, "https", "ext" …
  std::string user_host;  // ssh: [user@]host for the command line. git: host[:port] as given
  std::string port;       // ssh: digits, or empty
  std::string path;       // as the other side is asked for it
  std::string text;       // the whole URL as it was given (it may hold a password: see without_user_info)
};

// Says whether `path` is a directory, or a file such as a bundle, on this machine.
using PathProbe = std::function<bool(const std::string& path)>;

Url parse_url(std::string_view text, const PathProbe& exists = {});

// `url` without user name and password, for messages: "https://user:secret@host/x" gives "https://host/x".
std::string without_user_info(std::string_view url);

// url.<base>.insteadOf: of the rules whose `instead_of` begins `url`, the longest replaces that beginning by `base`.
struct InsteadOf {
  std::string base;
  std::string instead_of;
};
std::string apply_instead_of(const std::vector<InsteadOf>& rules, std::string_view url);

// protocol.allow, protocol.<name>.allow, and the two environment variables that overrule them.
struct ProtocolPolicy {
  std::optional<std::string> allow;            // protocol.allow: always, never or user
  std::map<std::string, std::string> by_name;  // protocol.<name>.allow
  std::optional<std::string> only;             // GIT_ALLOW_PROTOCOL: the allowed names, with colons between
  bool from_user = true;                       // GIT_PROTOCOL_FROM_USER: false for a URL that no person typed
};
bool is_allowed(const ProtocolPolicy& policy, const std::string& protocol);
// Throws ErrorCode::refused "transport '<protocol>' not allowed" (ErrorCode::config for a value Git does not know).
void require_allowed(const ProtocolPolicy& policy, const std::string& protocol);

}  // namespace pfetch::transport
