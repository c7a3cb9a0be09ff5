// Any bytes as a promptfoo suite, and as the CSV file of its tests: what is written is YAML and JSON Lines.

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "core/text.h"
#include "core/yaml.h"
#include "imports/promptfoo/promptfoo.h"
#include "tests/fuzz/require.h"

namespace {

void import(const std::string& suite, const std::string& file) {
  assay::SuiteFiles files;
  files.read = [&](const std::string&) -> assay::Result<std::string> { return file; };
  files.matching = [](const std::string&) { return std::vector<std::string>{"a.csv", "b.json"}; };
  const auto imported = assay::import_promptfoo("suite.yaml", suite, files);
  if (!imported) return;
  for (const assay::ImportedFile& one : imported->files) {
    if (one.path == "assay.yaml") assay::fuzz::require(assay::parse_yaml(one.text).has_value());
    if (one.path != "cases.jsonl") continue;
    for (const std::string_view line : assay::split_lines(one.text))
      assay::fuzz::require(assay::parse_json(line).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  import(text, "q,__expected\n{{q}},contains-any:a\n");
  import("prompts: ['{{q}} {{ a | upper }}']\nproviders: [echo]\ntests: file://a.csv\n", text);
  return 0;
}
