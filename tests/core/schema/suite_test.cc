// The official test suite of JSON Schema (tests/data/json-schema-test-suite, with its licence), run whole.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/schema/schema.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

#ifdef ASSAY_SCHEMA_SUITE
constexpr const char* kSuite = ASSAY_SCHEMA_SUITE;
#else
constexpr const char* kSuite = ASSAY_SOURCE_DIR "/tests/data/json-schema-test-suite";
#endif

Json read_document(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto document = parse_json(text);
  EXPECT_TRUE(document) << path << ": " << (document ? "" : document.error().text());
  return document ? std::move(*document) : Json();
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// What the suite serves under http://localhost:1234/.
Schema::Documents remotes() {
  Schema::Documents documents;
  const auto root = fs::path(kSuite) / "remotes";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".json") continue;
    documents.emplace_back("http://localhost:1234/" + fs::relative(entry.path(), root).generic_string(),
                           read_document(entry.path()));
  }
  return documents;
}

struct SuiteResult {
  int cases = 0;
  std::vector<std::string> failures;  // "file: group: test: what went wrong"
};

SuiteResult run_suite(const fs::path& folder, SchemaOptions options) {
  const auto documents = remotes();
  SuiteResult result;
  for (const auto& file : json_files(fs::path(kSuite) / "tests/draft2020-12" / folder)) {
    const auto groups = read_document(file);
    for (const auto& group : groups.as_array()) {
      const auto name = file.filename().string() + ": " + std::string(*as_text(group.at("description")));
      const auto schema = Schema::compile(group.at("schema"), documents, options);
      for (const auto& test : group.at("tests").as_array()) {
        ++result.cases;
        const auto label = name + ": " + std::string(*as_text(test.at("description")));
        if (!schema) {
          result.failures.push_back(label + ": schema refused: " + schema.error().text());
          continue;
        }
        const bool expected = test.at("valid").as_bool();
        const auto defects = schema->validate(test.at("data"));
        // Both ways to ask must agree, and every defect must have its words.
        const bool worded =
            std::ranges::none_of(defects, [](const auto& defect) { return defect.message.empty(); });
        if (defects.empty() != expected || schema->valid(test.at("data")) != expected || !worded) {
          result.failures.push_back(label +
                                    (expected ? ": found " + describe(defects) : ": found no defect"));
        }
      }
    }
  }
  return result;
}

TEST(SchemaSuite, PassesEveryRequiredTestOfDraft202012) {
  const auto result = run_suite("", {});
  EXPECT_EQ(result.cases, 1299);
  EXPECT_THAT(result.failures, testing::IsEmpty());
}

// With formats asserted, the required tests about `format` itself, which is an annotation by default, are the
// only ones that may change.
TEST(SchemaSuite, AssertingFormatsChangesNothingButFormats) {
  const auto result = run_suite("", {.assert_formats = true});
  EXPECT_EQ(result.cases, 1299);
  for (const auto& failure : result.failures) EXPECT_THAT(failure, testing::StartsWith("format.json: "));
}

TEST(SchemaSuite, PassesEveryOptionalTestButTheOneOfAnotherDraft) {
  const auto result = run_suite("optional", {});
  EXPECT_EQ(result.cases, 162);
  // It refers to a document of draft 2019-09, a dialect that is refused.
  EXPECT_THAT(result.failures, testing::ElementsAre(testing::StartsWith("cross-draft.json: ")));
}

TEST(SchemaSuite, PassesEveryTestOfAFormatThatIsKnown) {
  const auto result = run_suite("optional/format", {.assert_formats = true});
  EXPECT_EQ(result.cases, 764);
  // IDNA is out of scope: what an "xn--" label decodes to, and idn-hostname as a whole.
  int host_labels = 0;
  for (const auto& failure : result.failures) {
    const bool label = failure.starts_with("hostname.json: validation of A-label (punycode) host names: ");
    host_labels += label ? 1 : 0;
    EXPECT_TRUE(label || failure.starts_with("idn-hostname.json: ")) << failure;
  }
  EXPECT_EQ(host_labels, 23);
  EXPECT_EQ(result.failures.size(), 23U + 54U);
}

}  // namespace
}  // namespace assay
