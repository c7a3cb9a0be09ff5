#include "runs/start/config_folder.h"

#include <filesystem>
#include <fstream>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "assay-configs-" + std::to_string(::getpid());
    std::filesystem::create_directories(root_);
    std::filesystem::create_directories(root_ + "/configs/deep");
    write("configs/bot.yaml", "evaluation: question_router\nwhat: routes\ninput_path: bot.jsonl\n");
    write("configs/bot.jsonl", "{}\n");
    write("configs/deep/other.yml", "evaluation: custom\n");
    write("outside.yaml", "evaluation: question_router\ninput_path: x\n");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(root_ + "/" + name) << text; }
  ConfigFolder folder() { return ConfigFolder::open(root_ + "/configs").value(); }

  std::string root_;
};

TEST_F(ConfigFolderTest, ListsConfigsAndSaysWhyOneCannotBeUsed) {
  write("configs/broken.yaml", "evaluation: custom\na: [1\n");
  write("configs/manifest.yaml", "kind: Job\n---\nkind: Job\n");
  write("configs/odd.yaml", "evaluation: nothing\n");
  write("configs/queries.yaml", "queries: []\n");
  std::vector<std::string> lines;
  for (const FoundConfig& one : folder().list())
    lines.push_back(one.name + " " + one.evaluation + " " + (one.problem.empty() ? "" : "!"));
  EXPECT_THAT(lines, ElementsAre("bot.yaml question_router ", "broken.yaml  !", "deep/other.yml custom ",
                                 "odd.yaml nothing !"));
}

TEST_F(ConfigFolderTest, NoNameLeadsOut) {
  std::filesystem::create_symlink(root_ + "/outside.yaml", root_ + "/configs/link.yaml");
  std::filesystem::create_directory_symlink(root_, root_ + "/configs/up");
  std::filesystem::create_symlink(root_ + "/configs/bot.yaml", root_ + "/configs/inside.yaml");
  const ConfigFolder configs = folder();
  for (const std::string& name :
       {std::string("../outside.yaml"), std::string("deep/../../outside.yaml"), root_ + "/configs/bot.yaml",
        std::string("link.yaml"), std::string("up/outside.yaml"), std::string("bot.jsonl"), std::string(),
        std::string("bot.yaml\0x", 10), std::string("deep")}) {
    const auto read = configs.read(name);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().kind, ErrorKind::usage) << name;
  }
  EXPECT_TRUE(configs.read("bot.yaml"));
  EXPECT_TRUE(configs.read("deep/../bot.yaml"));
  EXPECT_TRUE(configs.read("inside.yaml"));
  for (const FoundConfig& one : configs.list()) {
    EXPECT_NE(one.name, "link.yaml");
    EXPECT_THAT(one.name, testing::Not(HasSubstr("up/")));
  }
}

TEST_F(ConfigFolderTest, PathsOfChangesStayInside) {
  const ConfigFolder configs = folder();
  const ReadConfig config = configs.read("bot.yaml").value();
  EXPECT_EQ(configs.real_path(config, "bot.jsonl").value_or(""),
            std::filesystem::canonical(root_ + "/configs/bot.jsonl").string())
      << "wherever the program runs";
  EXPECT_TRUE(configs.real_path(config, "deep/../bot.jsonl"));
  EXPECT_TRUE(configs.real_path(config, root_ + "/configs/bot.jsonl"));
  for (const char* bad : {"../outside.yaml", "/etc/passwd", "missing.jsonl", "", "-"})
    EXPECT_FALSE(configs.real_path(config, bad)) << bad;
}

TEST_F(ConfigFolderTest, SecretsAreNotShown) {
  write("configs/keyed.yaml",
        "evaluation: rag_answers\ninput_path: bot.jsonl\n"
        "http: {proxy: 'http://kim:hunter2secret@proxy:3128'}\n");
  const ReadConfig config = folder().read("keyed.yaml").value();
  EXPECT_THAT(config.text, testing::Not(HasSubstr("hunter2secret")));
  EXPECT_THAT(config.text, HasSubstr("evaluation: rag_answers"));
  EXPECT_THAT(to_text(config.values), testing::Not(HasSubstr("hunter2secret")));
  EXPECT_EQ(config.kind->name, "rag_answers");
}

}  // namespace
}  // namespace assay
