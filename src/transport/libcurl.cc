#include "transport/libcurl.h"

#include <dlfcn.h>

#include <string>

#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr const char* soname = "libcurl.so.4";
constexpr unsigned version_min = 0x075500;  // 7.85: CURLOPT_REDIR_PROTOCOLS_STR

[[noreturn]] void throw_unusable(const std::string& why) {
  throw Error(ErrorCode::unsupported, "http and https need libcurl: " + why + "; install the package 'libcurl4'");
}

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw_unusable(std::string(soname) + " has no function " + name);
}

LibCurl load() {
  void* library = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw_unusable(::dlerror());
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_version_info) version_info;
  look_up(library, "curl_global_init", global_init);
  look_up(library, "curl_version_info", version_info);
  if (version_info(CURLVERSION_NOW)->version_num < version_min) throw_unusable("it is older than 7.85");
  if (global_init(CURL_GLOBAL_ALL) != CURLE_OK) throw_unusable("it could not be set up");
  LibCurl curl{};
  look_up(library, "curl_easy_init", curl.easy_init);
  look_up(library, "curl_easy_cleanup", curl.easy_cleanup);
  look_up(library, "curl_easy_setopt", curl.easy_setopt);
  look_up(library, "curl_easy_getinfo", curl.easy_getinfo);
  look_up(library, "curl_easy_pause", curl.easy_pause);
  look_up(library, "curl_easy_strerror", curl.easy_strerror);
  look_up(library, "curl_multi_init", curl.multi_init);
  look_up(library, "curl_multi_cleanup", curl.multi_cleanup);
  look_up(library, "curl_multi_add_handle", curl.multi_add_handle);
  look_up(library, "curl_multi_remove_handle", curl.multi_remove_handle);
  look_up(library, "curl_multi_perform", curl.multi_perform);
  look_up(library, "curl_multi_poll", curl.multi_poll);
  look_up(library, "curl_multi_info_read", curl.multi_info_read);
  look_up(library, "curl_multi_strerror", curl.multi_strerror);
  look_up(library, "curl_slist_append", curl.slist_append);
  look_up(library, "curl_slist_free_all", curl.slist_free_all);
  return curl;
}

}  // namespace

const LibCurl& LibCurl::get() {
  static const LibCurl curl = load();
  return curl;
}

}  // namespace pfetch::transport
