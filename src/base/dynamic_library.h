// A library that is opened when it is first needed, not linked.
//
// For libraries that not every run uses and that cost more to load than all else pfetch does to start. Functions are
// found by the name and the type that the library's own header gives them. The library stays open for the life of the
// process, since others may hold its state. Thread safe once made.
#pragma once

#include <string>

namespace pfetch::base {

class DynamicLibrary {
 public:
  // `soname` as programs are linked to it ("libcrypto.so.3"); `purpose` begins the message when it cannot be loaded:
  // "<purpose> needs <soname>: …". Throws ErrorCode::unsupported.
  DynamicLibrary(const char* soname, std::string purpose);

  // Sets `function`, or throws as above when the library has none of that name.
  template <typename Function>
  void find(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(address_of(name));
  }

 private:
  void* address_of(const char* name) const;

  std::string needed_for_;  // "<purpose> needs <soname>"
  void* library_;
};

}  // namespace pfetch::base
