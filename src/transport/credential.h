// User names, passwords and tokens: kept by Git's credential helpers, asked for through `git credential`.
//
// Everything that git does there (credential.helper, credential.<url>.*, GIT_ASKPASS, SSH_ASKPASS, the terminal,
// GIT_TERMINAL_PROMPT) comes with it. Secrets go through pipes only, never onto a command line, and are in no message.
// Format: git-credential, "INPUT/OUTPUT FORMAT", with the capability "authtype" where git knows it. One thread at a
// time; waits end with ErrorCode::cancelled.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "transport/http_url.h"

namespace pfetch::transport {

struct Credential {
  std::string protocol;  // "https", "cert" …
  std::string host;      // with its port
  std::string path;      // without the first slash
  std::optional<std::string> username;
  std::optional<std::string> password;
  std::string auth_type;              // "Bearer" …: then `token` stands for user and password
  std::string token;                  // what follows the auth type in the header
  std::vector<std::string> www_auth;  // the server's WWW-Authenticate headers
  std::vector<std::string> state;     // of the helper, given back to it as it is
  std::string expiry;                 // password_expiry_utc, given back as it is
  bool ephemeral = false;             // not to be stored

  bool is_complete() const { return (username && password) || !token.empty(); }
};

// What is known of a URL's credential before anybody is asked.
Credential credential_of(const HttpUrl& url);

// The lines of `git credential`'s input for `credential`, the blank line at the end included. Throws
// ErrorCode::refused for a value with a line end or NUL.
std::string credential_lines(const Credential& credential);
// Takes the lines of its output into `credential`.
void read_credential_lines(std::string_view lines, Credential& credential);

struct CredentialOptions {
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;  // for the child
  std::function<void(std::string_view text)> warn;  // lines that the child says on its stderr
  std::function<void(bool asking)> asking;          // around a question that the user may have to answer
};

class CredentialHelper {
 public:
  CredentialHelper(CredentialOptions options, const base::Cancellation& cancel)
      : options_(std::move(options)), cancel_(cancel) {}

  // Completes the credential. Throws ErrorCode::remote with git's words when that is not possible.
  void fill(Credential& credential);
  // Says that it worked, or did not. Trouble of a helper is not ours: nothing is thrown but ErrorCode::cancelled.
  void approve(const Credential& credential) { tell("approve", credential); }
  void reject(const Credential& credential) { tell("reject", credential); }

 private:
  void tell(const char* action, const Credential& credential);
  std::string run(const char* action, const Credential& credential);

  CredentialOptions options_;
  const base::Cancellation& cancel_;
};

}  // namespace pfetch::transport
