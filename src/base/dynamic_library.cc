#include "base/dynamic_library.h"

#include <dlfcn.h>

#include "base/error.h"

namespace pfetch::base {

DynamicLibrary::DynamicLibrary(const char* soname, std::string purpose)
    : needed_for_(std::move(purpose) + " needs " + soname), library_(::dlopen(soname, RTLD_LAZY | RTLD_LOCAL)) {
  if (library_ == nullptr) throw Error(ErrorCode::unsupported, needed_for_ + ": " + ::dlerror());
}

void* DynamicLibrary::address_of(const char* name) const {
  void* found = ::dlsym(library_, name);
  if (found == nullptr) throw Error(ErrorCode::unsupported, needed_for_ + ", but there is no " + name + " in it");
  return found;
}

}  // namespace pfetch::base
