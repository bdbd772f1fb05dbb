#include "repo/ident.h"

#include <fmt/format.h>
#include <netdb.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <vector>

#include "base/error.h"
#include "base/process.h"

namespace pfetch::repo {

namespace {

// Bytes that do not stand at either end of a name or address.
bool is_crud(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || std::string_view(".,:;<>\"\\'").find(c) != std::string_view::npos;
}

// Without crud at the ends, and without the bytes that would break the line.
std::string cleaned(std::string_view text) {
  while (!text.empty() && is_crud(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_crud(text.back())) text.remove_suffix(1);
  std::string result;
  for (const char c : text) {
    if (c != '\n' && c != '<' && c != '>') result.push_back(c);
  }
  return result;
}

void read_password_entry(IdentSources& sources) {
  std::vector<char> buffer(16 * 1024);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    sources.login = "unknown";
    return;
  }
  sources.login = entry.pw_name;
  for (const char* c = entry.pw_gecos; *c != '\0' && *c != ','; ++c) {
    if (*c != '&') {
      sources.real_name.push_back(*c);
      continue;
    }
    std::string capital = sources.login;
    if (!capital.empty() && capital[0] >= 'a' && capital[0] <= 'z') capital[0] = static_cast<char>(capital[0] - 32);
    sources.real_name += capital;
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "(none)";
  std::string host = name.data();
  if (host.find('.') != std::string::npos) return host;
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) == 0) {
    const std::string canonical = found->ai_canonname != nullptr ? found->ai_canonname : "";
    ::freeaddrinfo(found);
    if (canonical.find('.') != std::string::npos) return canonical;
  }
  return host + ".(none)";
}

[[noreturn]] void throw_unknown(const std::string& detail) {
  throw Error(ErrorCode::config,
              detail + "; set user.name and user.email (git config --global user.email \"you@example.com\")");
}

std::string pick_email(const IdentSources& sources) {
  for (const auto* one : {&sources.env_email, &sources.role_email, &sources.user_email}) {
    if (*one) return **one;
  }
  if (sources.strict && sources.use_config_only) throw_unknown("no email was given and auto-detection is disabled");
  if (sources.mail && !sources.mail->empty()) return *sources.mail;
  std::string guess = sources.login + "@" + (sources.host.empty() ? host_name() : sources.host);
  if (sources.strict && guess.find("(none)") != std::string::npos) {
    throw_unknown(fmt::format("unable to auto-detect email address (got '{}')", guess));
  }
  return guess;
}

std::string pick_name(const IdentSources& sources, const std::string& email) {
  std::string name;
  bool given = true;
  if (sources.env_name) {
    name = *sources.env_name;
  } else if (sources.role_name) {
    name = *sources.role_name;
  } else if (sources.user_name) {
    name = *sources.user_name;
  } else {
    if (sources.strict && sources.use_config_only) throw_unknown("no name was given and auto-detection is disabled");
    name = sources.real_name;
    given = false;
  }
  if (name.empty() || (!given && cleaned(name).empty())) {
    if (sources.strict) throw_unknown(fmt::format("empty ident name (for <{}>) not allowed", email));
    name = sources.login;
  }
  if (sources.strict && cleaned(name).empty()) {
    throw_unknown(fmt::format("name consists only of disallowed characters: {}", name));
  }
  return name;
}

}  // namespace

IdentSources IdentSources::from_environment() {
  IdentSources sources;
  sources.env_name = base::environment_variable("GIT_COMMITTER_NAME");
  sources.env_email = base::environment_variable("GIT_COMMITTER_EMAIL");
  sources.env_date = base::environment_variable("GIT_COMMITTER_DATE");
  sources.mail = base::environment_variable("EMAIL");
  read_password_entry(sources);
  return sources;
}

std::string Ident::who() const {
  return fmt::format("{} <{}>", name, email);
}

std::string Ident::line() const {
  return fmt::format("{} <{}> {} {}{:04}", name, email, seconds, zone < 0 ? '-' : '+', zone < 0 ? -zone : zone);
}

Ident committer_ident(const IdentSources& sources, std::int64_t now) {
  Ident ident;
  const std::string email = pick_email(sources);
  ident.name = cleaned(pick_name(sources, email));
  ident.email = cleaned(email);
  if (sources.env_date && !sources.env_date->empty()) {
    const auto date = parse_date(*sources.env_date);
    if (!date) throw Error(ErrorCode::config, fmt::format("invalid date format: {}", *sources.env_date));
    ident.seconds = date->seconds;
    ident.zone = date->zone;
  } else {
    ident.seconds = now;
    ident.zone = local_zone(now);
  }
  return ident;
}

int local_zone(std::int64_t seconds) {
  const auto when = static_cast<std::time_t>(seconds);
  std::tm local{};
  if (::localtime_r(&when, &local) == nullptr) return 0;
  const int minutes = static_cast<int>(local.tm_gmtoff / 60);
  const int size = minutes < 0 ? -minutes : minutes;
  const int written = size / 60 * 100 + size % 60;
  return minutes < 0 ? -written : written;
}

}  // namespace pfetch::repo
