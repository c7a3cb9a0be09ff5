#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluations/custom/metric_reference.h"
#include "evaluations/fill.h"
#include "tests/evaluations/custom/checks/checked.h"

namespace assay::custom {
namespace {

using testing::EndsWith;

TEST(CheckTable, EveryExampleIsAMetricOfItsKind) {
  const JsonObject fields = {{"reference", "Paris"},
                             {"must_say", JsonArray{"a", "b"}},
                             {"amount", 5},
                             {"order_id", "o1"},
                             {"expected_rows", parse_json(R"([{"id": 1}])").value()}};
  const std::set<std::string_view> common = {"name", "of", "when", "passes", "weight"};
  std::set<std::string_view> names;
  for (const CheckKind& kind : check_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(kind.has_not, kind.value == CheckKind::Value::yes_no) << kind.name;
    const Json metric = fill_tree(parse_yaml(kind.example).value().value, fields);
    NamedCheck named;
    Json argument;
    JsonObject options;
    for (const auto& [key, value] : metric.get_object()) {
      if (const NamedCheck found = find_named_check(key); found.kind != nullptr) {
        named = found;
        argument = value;
      } else if (!common.contains(key)) {
        options.emplace(key, value);
      }
    }
    ASSERT_EQ(named.kind, &kind) << kind.example;
    const auto check = make_check(named, argument, options);
    EXPECT_TRUE(check.has_value()) << kind.example << ": " << (check ? "" : check.error().text());
  }
  EXPECT_EQ(names.size(), 23U);
}

TEST(CheckTable, FindsNamesWithAndWithoutNot) {
  EXPECT_EQ(find_named_check("contains").kind, find_check("contains"));
  EXPECT_TRUE(find_named_check("not_contains").negated);
  EXPECT_EQ(find_named_check("not_rouge_l").kind, nullptr);
  EXPECT_EQ(find_named_check("not_not_contains").kind, nullptr);
  EXPECT_EQ(find_check("not_contains"), nullptr);
}

TEST(CheckTable, IsTheReference) {
  std::ifstream file(std::filesystem::path(ASSAY_SOURCE_DIR) / "docs/metrics.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(page, EndsWith("\n\n" + metric_reference()))
      << "put what `assay help metrics` prints at the end of docs/metrics.md";
}

}  // namespace
}  // namespace assay::custom
