#include "transport/libcurl.h"

#include "base/dynamic_library.h"
#include "base/error.h"

namespace pfetch::transport {

namespace {

constexpr unsigned version_min = 0x075500;  // 7.85: CURLOPT_REDIR_PROTOCOLS_STR

LibCurl load() {
  const base::DynamicLibrary library(PFETCH_LIBCURL_SONAME, "http");
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_version_info) version_info;
  library.find("curl_global_init", global_init);
  library.find("curl_version_info", version_info);
  if (version_info(CURLVERSION_NOW)->version_num < version_min) {
    throw Error(ErrorCode::unsupported, "http needs " PFETCH_LIBCURL_SONAME " of version 7.85 or later");
  }
  if (global_init(CURL_GLOBAL_ALL) != CURLE_OK) throw Error(ErrorCode::io, "libcurl could not be set up");
  LibCurl curl{};
  library.find("curl_easy_init", curl.easy_init);
  library.find("curl_easy_cleanup", curl.easy_cleanup);
  library.find("curl_easy_setopt", curl.easy_setopt);
  library.find("curl_easy_getinfo", curl.easy_getinfo);
  library.find("curl_easy_pause", curl.easy_pause);
  library.find("curl_easy_strerror", curl.easy_strerror);
  library.find("curl_multi_init", curl.multi_init);
  library.find("curl_multi_cleanup", curl.multi_cleanup);
  library.find("curl_multi_add_handle", curl.multi_add_handle);
  library.find("curl_multi_remove_handle", curl.multi_remove_handle);
  library.find("curl_multi_perform", curl.multi_perform);
  library.find("curl_multi_poll", curl.multi_poll);
  library.find("curl_multi_info_read", curl.multi_info_read);
  library.find("curl_multi_strerror", curl.multi_strerror);
  library.find("curl_slist_append", curl.slist_append);
  library.find("curl_slist_free_all", curl.slist_free_all);
  return curl;
}

}  // namespace

const LibCurl& LibCurl::get() {
  static const LibCurl curl = load();
  return curl;
}

}  // namespace pfetch::transport
