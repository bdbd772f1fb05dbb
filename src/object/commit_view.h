// A commit object read in place (gitformat: "tree", "parent"…, "author", "committer", further headers, a blank line,
// the message).
//
// A CommitView borrows its bytes and allocates nothing; it is a plain value, safe to read from many threads. The
// constructor reads the tree and the parents, which is all that connectivity needs, and throws ErrorCode::corrupt
// naming the commit and what is wrong. Everything after them is read when asked for, and leniently, as Git's walks do:
// old histories hold authors and dates that break every rule. Grafts and the shallow boundary are the caller's affair.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "object/oid.h"

namespace pfetch::object {

class CommitView {
 public:
  // `id` serves messages only.
  CommitView(const Oid& id, base::Bytes bytes);

  Oid tree_id() const { return tree_id_; }
  std::size_t parent_count() const { return parent_count_; }
  // `index` < parent_count(); a bad digit was refused by the constructor.
  Oid parent_id(std::size_t index) const;

  // Iterates parents as Oid values: `for (const Oid parent : commit.parents())`.
  class Parents {
   public:
    class Iterator {
     public:
      Iterator(const CommitView* commit, std::size_t index) : commit_(commit), index_(index) {}
      Oid operator*() const { return commit_->parent_id(index_); }
      Iterator& operator++() {
        ++index_;
        return *this;
      }
      friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

     private:
      const CommitView* commit_;
      std::size_t index_;
    };
    explicit Parents(const CommitView& commit) : commit_(&commit) {}
    Iterator begin() const { return {commit_, 0}; }
    Iterator end() const { return {commit_, commit_->parent_count()}; }

   private:
    const CommitView* commit_;
  };
  Parents parents() const { return Parents(*this); }  // the view must outlive it

  // The rest of the line after "author " and "committer " (name, e-mail, date, zone); empty when there is none.
  std::string_view author() const;
  std::string_view committer() const;
  // Seconds since 1970 of the committer line; 0 when it cannot be read, INT64_MAX when it is beyond 63 bits.
  std::int64_t committer_date() const;
  // All after the first blank line; empty when there is none.
  std::string_view message() const;

 private:
  Oid tree_id_;
  std::size_t parent_count_ = 0;
  std::string_view bytes_;
};

// The number between the last '>' of an "author", "committer" or "tagger" line and its zone; 0 when there is none.
std::int64_t date_of_identity(std::string_view identity);

}  // namespace pfetch::object
