#include "evaluations/prompts.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

std::string source(const std::string& name) {
  return read_file(std::string(ASSAY_SOURCE_DIR) + "/" + name).value();
}

std::set<std::string> placeholders_in(const std::string& text) {
  static const std::regex placeholder("\\{[a-z_]+\\}");
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), placeholder), end; at != end; ++at)
    found.insert(at->str());
  return found;
}

// The row of the table that begins with this name; "" if there is none.
std::string row_of(std::string_view page, const std::string& name) {
  for (const std::string_view line : split_lines(page)) {
    if (line.starts_with("| `" + name + "` |")) return std::string(line);
  }
  return "";
}

TEST(PromptsPage, NamesEveryPromptWithItsPlaceholdersAndNoOther) {
  const std::string page = source("docs/prompts.md");
  const std::vector<std::string> names = PromptLibrary().names();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    const std::string row = row_of(page, name);
    ASSERT_FALSE(row.empty()) << name << " is not in docs/prompts.md";
    EXPECT_EQ(placeholders_in(row), placeholders_in(source("prompts/" + name + ".txt"))) << name;
  }
  std::size_t rows = 0;
  const std::string table = page.substr(0, page.find("## What the answer must hold"));
  for (const std::string_view line : split_lines(table)) rows += line.starts_with("| `") ? 1 : 0;
  EXPECT_EQ(rows, names.size()) << "a prompt is described that is not there";
}

}  // namespace
}  // namespace assay
