// What `assay init` writes for each evaluation.
#include "cli/init/starter.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/file.h"
#include "core/yaml.h"
#include "evaluations/registry.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Starter& starter, std::string_view path) {
  const auto found = std::ranges::find(starter.files, path, &StarterFile::path);
  return found == starter.files.end() ? "" : found->text;
}

TEST(Starter, EveryEvaluationHasAConfigOfItsOwnAndFilesForIntegration) {
  for (const EvaluationKind& kind : evaluation_kinds()) {
    const auto starter = starter_for(kind.name);
    ASSERT_TRUE(starter) << kind.name;
    const auto config = parse_yaml(text_of(*starter, starter->config));
    ASSERT_TRUE(config) << kind.name;
    EXPECT_EQ(text_at(config->value, "evaluation"), kind.name);
    EXPECT_THAT(text_of(*starter, starter->config), Not(HasSubstr("examples/"))) << kind.name;
    for (const char* path : {".github/workflows/assay.yml", ".gitlab-ci.yml"}) {
      const std::string text = text_of(*starter, path);
      EXPECT_TRUE(parse_yaml(text)) << path;
      EXPECT_THAT(text, HasSubstr("assay run " + starter->config + " --output-dir results/ci")) << path;
      EXPECT_THAT(text, Not(HasSubstr("@CONFIG@"))) << path;
    }
  }
  EXPECT_FALSE(starter_for("nothing"));
}

TEST(Starter, NamesEverythingThatIsInTheWay) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("assay_init_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  const auto starter = starter_for("benchmark");
  ASSERT_TRUE(starter);
  EXPECT_THAT(in_the_way(*starter, folder.string()), ElementsAre());
  fs::create_directories(folder / "tasks");
  fs::create_symlink("nowhere", folder / "support.db");
  ASSERT_TRUE(write_file((folder / "open_tickets.json").string(), "[]"));
  EXPECT_THAT(in_the_way(*starter, folder.string()),
              ElementsAre((folder / "open_tickets.json").string(), (folder / "support.db").string()));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace assay
