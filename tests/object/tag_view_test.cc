#include "object/tag_view.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "tests/support/error_message.h"

namespace pfetch::object {
namespace {

const std::string target_hex(40, 'c');

std::string message_of(const std::string& bytes) {
  return test::error_message([&] { const TagView view(Oid{}, base::as_bytes(bytes)); }, ErrorCode::corrupt);
}

TEST(TagView, ReadsTargetNameTaggerAndMessage) {
  const std::string bytes =
      "object " + target_hex + "\ntype commit\ntag v1.0 rc\ntagger T <t@x> 5 +0000\n\nhello\n\nworld";
  const TagView view(Oid{}, base::as_bytes(bytes));
  EXPECT_EQ(view.target_id().hex(), target_hex);
  EXPECT_EQ(view.target_kind(), Kind::commit);
  EXPECT_EQ(view.name(), "v1.0 rc");
  EXPECT_EQ(view.tagger(), "T <t@x> 5 +0000");
  EXPECT_EQ(view.message(), "hello\n\nworld");
}

TEST(TagView, ATagMayHaveNoTaggerAndNoMessage) {
  const std::string bare = "object " + target_hex + "\ntype tree\ntag t\n";
  EXPECT_EQ(TagView(Oid{}, base::as_bytes(bare)).tagger(), "");
  EXPECT_EQ(TagView(Oid{}, base::as_bytes(bare)).message(), "");
  const std::string old = bare + "\nmessage";
  EXPECT_EQ(TagView(Oid{}, base::as_bytes(old)).target_kind(), Kind::tree);
  EXPECT_EQ(TagView(Oid{}, base::as_bytes(old)).tagger(), "");
  EXPECT_EQ(TagView(Oid{}, base::as_bytes(old)).message(), "message");
}

TEST(TagView, NamesWhatIsMalformed) {
  const std::string name = "tag 0000000000000000000000000000000000000000: ";
  const std::string object = "object " + target_hex + "\n";
  EXPECT_EQ(message_of(""), name + "it does not begin with a valid object line");
  EXPECT_EQ(message_of("object " + target_hex), name + "it does not begin with a valid object line");
  EXPECT_EQ(message_of("object x\n"), name + "it does not begin with a valid object line");
  EXPECT_EQ(message_of(object), name + "it has no valid type line");
  EXPECT_EQ(message_of(object + "type bloob\ntag x\n"), name + "it has no valid type line");
  EXPECT_EQ(message_of(object + "type blob\n"), name + "it has no tag line");
  EXPECT_EQ(message_of(object + "type blob\ntag x"), name + "it has no tag line");
}

}  // namespace
}  // namespace pfetch::object
