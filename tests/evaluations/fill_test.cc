#include "evaluations/fill.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

const JsonObject kFields{{"name", "Ann {x}"}, {"n", 3}, {"list", JsonArray{1, 2}}};

TEST(Fill, fields_are_filled_once_and_other_braces_stay) {
  EXPECT_EQ(fill_fields("{name}: {n} {list} {unknown} { {", kFields), "Ann {x}: 3 [1,2] {unknown} { {");
  EXPECT_EQ(fill_fields("{n}", kFields, [](const std::string& text) { return "<" + text + ">"; }), "<3>");
}

TEST(Fill, a_text_that_is_one_field_has_its_type) {
  const Json filled =
      fill_tree(JsonObject{{"a", "{list}"}, {"b", JsonArray{"{n}", "n = {n}"}}, {"c", true}}, kFields);
  EXPECT_EQ(to_text(filled), R"({"a":[1,2],"b":[3,"n = 3"],"c":true})");
}

TEST(Fill, names_of_placeholders) {
  EXPECT_THAT(placeholders_in(std::string_view("{a} {b_2} {a} {\"not\": this} {} { b } {…} {c.d")),
              ElementsAre("a", "b_2"));
  EXPECT_THAT(placeholders_in(std::string_view("{größe} {Customer ID} {客户}")),
              ElementsAre("größe", "Customer ID", "客户"));
  EXPECT_THAT(placeholders_in(Json(JsonObject{{"x", "{a}"}, {"y", JsonArray{"{b}", 1}}})),
              ElementsAre("a", "b"));
}

TEST(Fill, a_regular_expression_has_braces_of_its_own) {
  EXPECT_THAT(placeholders_in_regex(R"(^\d{3}-\p{Greek}{2,}\P{L}\x{1F600}{name}$)"), ElementsAre("name"));
}

TEST(Fill, several_words_that_no_field_is_called_are_prose) {
  const std::vector<std::string> fields{"Customer ID", "area"};
  std::vector<std::string> names{"your answer here", "Customer ID", "Customer Id", "aera"};
  leave_out_prose(names, fields);
  EXPECT_THAT(names, ElementsAre("Customer ID", "Customer Id", "aera"));
}

}  // namespace
}  // namespace assay
