// A packed-refs file of any bytes is read, or refused with pfetch::Error; a name that is listed is also found, and what
// the editor writes of it is read back the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/fd.h"
#include "repo/packed_refs.h"
#include "tests/support/temporary_directory.h"

namespace {

using pfetch::repo::PackedRef;
using pfetch::repo::PackedRefs;

std::vector<std::string> names_of(const PackedRefs& refs) {
  std::vector<std::string> names;
  refs.for_each("", [&](const PackedRef& ref) {
    names.emplace_back(ref.name);
    return true;
  });
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const pfetch::test::TemporaryDirectory directory;
  const std::string path = directory / "packed-refs";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) std::abort();
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  try {
    const auto refs = PackedRefs::load(path);
    std::size_t lines = 0;
    refs->find("refs/heads/main", &lines);
    if (lines > 64) std::abort();  // log2 of any size
    const auto names = names_of(*refs);
    const bool in_order = std::is_sorted(names.begin(), names.end());
    if (in_order) {  // a file may lie about `sorted`; then some names are not found, as with Git
      for (const std::string& name : names) {
        if (!refs->find(name)) std::abort();
      }
    }
    auto editor = pfetch::repo::PackedRefsEditor::take(path, {.sync = false});
    pfetch::repo::PackedChanges changes;
    changes["refs/fuzz/added"] = pfetch::repo::PackedValue{{}, std::nullopt, true};
    editor.stage(changes);
    editor.commit();
    if (in_order && !PackedRefs::load(path)->find("refs/fuzz/added")) std::abort();
  } catch (const pfetch::Error&) {
  }
  return 0;
}
