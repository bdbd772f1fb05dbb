#include <openssl/evp.h>

#include "base/error.h"
#include "base/sha1.h"

namespace pfetch::base {
namespace {

void require(bool ok) {
  if (!ok) throw Error(ErrorCode::unsupported, "OpenSSL offers no SHA-1 here; see its configuration (openssl.cnf)");
}

Sha1Digest take_digest(EVP_MD_CTX* context) {
  Sha1Digest digest;
  unsigned size = 0;
  require(EVP_DigestFinal_ex(context, digest.data(), &size) == 1 && size == digest.size());
  return digest;
}

}  // namespace

struct PlainSha1::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  Context() { require(md != nullptr); }
  ~Context() { EVP_MD_CTX_free(md); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

PlainSha1::PlainSha1() : context_(std::make_unique<Context>()) {
  require(EVP_DigestInit_ex(context_->md, EVP_sha1(), nullptr) == 1);
}
PlainSha1::~PlainSha1() = default;
PlainSha1::PlainSha1(PlainSha1&&) noexcept = default;
PlainSha1& PlainSha1::operator=(PlainSha1&&) noexcept = default;

void PlainSha1::update(Bytes bytes) {
  require(EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()) == 1);
}

Sha1Digest PlainSha1::finish() {
  const Sha1Digest digest = take_digest(context_->md);
  require(EVP_DigestInit_ex(context_->md, EVP_sha1(), nullptr) == 1);
  return digest;
}

Sha1Digest PlainSha1::peek() const {
  const Context copy;
  require(EVP_MD_CTX_copy_ex(copy.md, context_->md) == 1);
  return take_digest(copy.md);
}

}  // namespace pfetch::base
