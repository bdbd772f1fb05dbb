#include "checkout/pending_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pfetch::checkout {

PendingFile::~PendingFile() {
  abandon();
}

void PendingFile::abandon() {
  if (fd_) ::unlinkat(directory_->get(), leaf_.c_str(), 0);
  fd_.reset();
}

void PendingFile::create() {
  if (fd_ || collided_) return;
  fd_ = create_file(directories_, file_, directory_, leaf_);
  collided_ = !fd_;
}

void PendingFile::put(base::Bytes piece) {
  create();
  size_ += piece.size();
  if (collided_) return;
  try {
    base::write_all(fd_.get(), piece, leaf_);
  } catch (Error& error) {
    throw error.add_context(path_of(file_));
  }
}

void PendingFile::start_over() {
  size_ = 0;
  if (!fd_) return;
  if (::ftruncate(fd_.get(), 0) != 0 || ::lseek(fd_.get(), 0, SEEK_SET) != 0) {
    throw_errno(errno, "could not truncate", path_of(file_));
  }
}

Written PendingFile::finish() {
  create();
  if (collided_) return Written::collided;
  complete_file(fd_.get(), file_, times_);
  fd_.reset();
  return Written::yes;
}

}  // namespace pfetch::checkout
