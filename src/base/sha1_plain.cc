#include <openssl/evp.h>

#include "base/dynamic_library.h"
#include "base/error.h"
#include "base/sha1.h"

namespace pfetch::base {
namespace {

struct LibCrypto {
  decltype(&::EVP_sha1) sha1;
  decltype(&::EVP_MD_CTX_new) context_new;
  decltype(&::EVP_MD_CTX_free) context_free;
  decltype(&::EVP_MD_CTX_copy_ex) context_copy;
  decltype(&::EVP_DigestInit_ex) init;
  decltype(&::EVP_DigestUpdate) update;
  decltype(&::EVP_DigestFinal_ex) final;

  LibCrypto() {
    const DynamicLibrary library(PFETCH_LIBCRYPTO_SONAME, "the checksum of a pack");
    library.find("EVP_sha1", sha1);
    library.find("EVP_MD_CTX_new", context_new);
    library.find("EVP_MD_CTX_free", context_free);
    library.find("EVP_MD_CTX_copy_ex", context_copy);
    library.find("EVP_DigestInit_ex", init);
    library.find("EVP_DigestUpdate", update);
    library.find("EVP_DigestFinal_ex", final);
  }
};

const LibCrypto& crypto() {
  static const LibCrypto library;
  return library;
}

void require(bool ok) {
  if (!ok) throw Error(ErrorCode::unsupported, "OpenSSL offers no SHA-1 here; see its configuration (openssl.cnf)");
}

Sha1Digest take_digest(EVP_MD_CTX* context) {
  Sha1Digest digest;
  unsigned size = 0;
  require(crypto().final(context, digest.data(), &size) == 1 && size == digest.size());
  return digest;
}

}  // namespace

struct PlainSha1::Context {
  EVP_MD_CTX* md = crypto().context_new();
  Context() { require(md != nullptr); }
  ~Context() { crypto().context_free(md); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

PlainSha1::PlainSha1() : context_(std::make_unique<Context>()) {
  require(crypto().init(context_->md, crypto().sha1(), nullptr) == 1);
}
PlainSha1::~PlainSha1() = default;
PlainSha1::PlainSha1(PlainSha1&&) noexcept = default;
PlainSha1& PlainSha1::operator=(PlainSha1&&) noexcept = default;

void PlainSha1::update(Bytes bytes) {
  require(crypto().update(context_->md, bytes.data(), bytes.size()) == 1);
}

Sha1Digest PlainSha1::finish() {
  const Sha1Digest digest = take_digest(context_->md);
  require(crypto().init(context_->md, crypto().sha1(), nullptr) == 1);
  return digest;
}

Sha1Digest PlainSha1::peek() const {
  const Context copy;
  require(crypto().context_copy(copy.md, context_->md) == 1);
  return take_digest(copy.md);
}

}  // namespace pfetch::base
