// Where all cases of a run are shown: in its report, in a page beside it, or nowhere.
#include "runs/collecting/all_cases.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "report/pages/html.h"

namespace assay {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

ShownCases shown(OutputFiles& files, std::int64_t cases, std::string_view script = "show()") {
  AllCases all(files, script);
  for (std::int64_t i = 0; i < cases; ++i)
    all.add(fmt::format("{{\"id\":\"case-{}\"}}\n", i), [] { return Json(); });
  return all.finish();
}

TEST(AllCases, AreInTheReportAsLongAsTheyAreFew) {
  OutputFiles files("unused");
  const ShownCases few = shown(files, AllCases::kInside.cases);
  EXPECT_EQ(few.count, AllCases::kInside.cases);
  EXPECT_TRUE(few.all);
  EXPECT_EQ(few.page, "");
  EXPECT_THAT(few.lines, EndsWith("{\"id\":\"case-1999\"}\n"));
  EXPECT_TRUE(files.names().empty());
}

TEST(AllCases, BeyondThatAreInAPageBesideIt) {
  const std::string directory = fmt::format("{}/all-cases-{}", testing::TempDir(), ::getpid());
  ASSERT_TRUE(make_directories(directory));
  OutputFiles files(directory);
  const ShownCases many = shown(files, AllCases::kBeside.cases + 5);
  EXPECT_EQ(many.count, AllCases::kBeside.cases);
  EXPECT_FALSE(many.all);
  EXPECT_EQ(many.page, kCasesPage);
  EXPECT_EQ(many.lines, "");
  ASSERT_TRUE(files.commit());
  const auto page = read_file(directory + "/" + kCasesPage);
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, HasSubstr("{\"id\":\"case-0\"}\n{\"id\":\"case-1\"}\n"));
  EXPECT_THAT(*page, HasSubstr("{\"id\":\"case-19999\"}\n</script>\n"));
  EXPECT_THAT(*page, Not(HasSubstr("case-20000")));
  EXPECT_THAT(*page, HasSubstr("<script>show()</script>"));
  std::filesystem::remove_all(directory);
}

TEST(AllCases, OfALookAtARunMakeNoFile) {
  OutputFiles files = OutputFiles::nowhere();
  const ShownCases many = shown(files, AllCases::kInside.cases + 1);
  EXPECT_EQ(many.count, AllCases::kInside.cases);
  EXPECT_FALSE(many.all);
  EXPECT_EQ(many.page, "");
}

TEST(AllCases, HaveTheirMaterialWhereTheLineDoesNotRepeatIt) {
  OutputFiles files("unused");
  AllCases all(files, "show()");
  const auto material = [](std::string_view json) {
    return [json] { return parse_json(json).value_or(Json()); };
  };
  all.add("{\"id\":\"a\",\"question\":\"Why?\",\"extra\":{\"area\":\"tax\"}}\n",
          material(R"({"id":"a","question":"Why?","area":"tax","note":null})"));
  all.add("{\"id\":\"b\",\"verdicts\":[]}\n", material(R"({"id":"b","events":["Hello"]})"));
  all.add("{\"id\":\"c\"}\n", material("not JSON"));
  EXPECT_EQ(all.finish().lines,
            "{\"id\":\"a\",\"question\":\"Why?\",\"extra\":{\"area\":\"tax\"}}\n"
            "[{\"id\":\"b\",\"verdicts\":[]},{\"id\":\"b\",\"events\":[\"Hello\"]}]\n"
            "{\"id\":\"c\"}\n");
}

TEST(AllCases, AreNotShownWithoutTheirScript) {
  OutputFiles files("unused");
  EXPECT_EQ(shown(files, 3, "").count, 0);
}

}  // namespace
}  // namespace assay
