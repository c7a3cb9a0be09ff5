#include "evaluations/components/rag_contexts.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::components {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Json json(const char* text) {
  return parse_json(text).value();
}

TEST(Contexts, AreReadFromTextsAndFromTheUsualKeys) {
  for (const char* entry :
       {R"("A shed.")", R"({"html_content":"A shed."})", R"({"html":"A shed."})", R"({"text":"A shed."})",
        R"({"content":"A shed."})", R"({"chunk":"A shed."})", R"({"page_content":"A shed.","html":null})"}) {
    for (const std::string& contexts : {std::string(entry), "[" + std::string(entry) + "]"}) {
      EXPECT_EQ(check_contexts(json(contexts.c_str())), "") << contexts;
      EXPECT_THAT(context_texts(json(contexts.c_str())), ElementsAre("A shed.")) << contexts;
    }
  }
  EXPECT_THAT(context_texts(json(R"([{"title":"Sheds","heading_hierarchy":["Rules","Height"],"text":"x"}])")),
              ElementsAre("Title: Sheds\nHeadings: Rules > Height\n\nx"));
  EXPECT_EQ(check_contexts(json("[]")), "");
  EXPECT_EQ(check_contexts(json("null")), "");
}

TEST(Contexts, WithoutTextAreToldWithTheirPlace) {
  for (const char* entry :
       {"{}", R"({"title":"Sheds"})", R"({"html_content":""})", R"({"words":"A shed."})", R"("")"}) {
    EXPECT_THAT(check_contexts(json((R"(["good",)" + std::string(entry) + "]").c_str())),
                HasSubstr("entry 2 has no text: found " + std::string(entry)));
  }
  EXPECT_THAT(check_contexts(json(R"([{"text":["a"]}])")),
              HasSubstr("entry 1 text: found [\"a\"], expected text"));
}

TEST(Contexts, KeysThatNothingReadsAreCounted) {
  KeyCounts counts;
  count_unread_keys(json(R"([{"text":"a","rank":1,"exact_path":"/"},{"text":"b","rank":2,"title":"t"},"c"])"),
                    counts);
  EXPECT_THAT(counts, ElementsAre(Pair("rank", 2)));
  EXPECT_EQ(unread_words("structured_contexts", counts),
            "field structured_contexts: nothing reads the key rank (2 times)");
  EXPECT_EQ(unread_words("structured_contexts", {}), "");
}

}  // namespace
}  // namespace assay::components
