#include "engine/distributed/case_message.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CaseMessage, BringsACaseOverAsItIs) {
  CaseMessage message;
  message.input = {.index = 7,
                   .line = 12,
                   .id = "a \"quoted\" id",
                   .cluster = "doc-3",
                   .payload = "{\"question\":\"line\\nbreak\"}",
                   .part = 2};
  const auto read = read_message(message_text(message));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->input.index, 7);
  EXPECT_EQ(read->input.line, 12U);
  EXPECT_EQ(read->input.id, message.input.id);
  EXPECT_EQ(read->input.cluster, "doc-3");
  EXPECT_EQ(read->input.payload, message.input.payload);
  EXPECT_EQ(read->input.part, 2U);
  EXPECT_TRUE(read->kept_under.empty());
}

TEST(CaseMessage, NamesAPayloadThatIsKeptElsewhere) {
  CaseMessage message{.input = {.index = 3, .payload = "large"}};
  message.kept_under = payload_name(message.input);
  const std::string text = message_text(message);
  EXPECT_FALSE(text.contains("large"));
  EXPECT_EQ(read_message(text)->kept_under, "case-3.json");
}

TEST(CaseMessage, RefusesWhatIsNoCase) {
  for (const char* text :
       {"", "{}", "[]", "null", R"({"index":-1,"line":1,"part":0,"id":"a"})",
        R"({"index":1.5,"line":1,"part":0,"id":"a"})", R"({"index":1,"line":1,"part":0,"id":5})"})
    EXPECT_FALSE(read_message(text)) << text;
}

}  // namespace
}  // namespace assay
