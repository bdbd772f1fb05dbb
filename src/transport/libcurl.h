// libcurl, loaded when the first http connection is made.
//
// It brings some thirty libraries; see base/dynamic_library for why pfetch is not linked with it. Functions have the
// types that <curl/curl.h> gives them. Immutable once made; any thread.
#pragma once

#include <curl/curl.h>

namespace pfetch::transport {

struct LibCurl {
  // Throws ErrorCode::unsupported when it cannot be loaded or is older than 7.85.
  static const LibCurl& get();

  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_pause) easy_pause;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_strerror) multi_strerror;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
};

}  // namespace pfetch::transport
