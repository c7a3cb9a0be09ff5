// Data sets, logs and configs of other tools: whatever the bytes are, an import gives files that can be read
// again, or an error in words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/yaml.h"
#include "imports/datasets/datasets.h"
#include "imports/originals/originals.h"
#include "tests/fuzz/require.h"

namespace {

void look(const assay::Result<assay::ImportedSuite>& suite) {
  using namespace assay;
  fuzz::require_words(suite);
  if (!suite) return;
  for (const ImportedFile& file : suite->files) {
    fuzz::require(!file.path.empty() && !file.path.starts_with('/') && !file.path.contains(".."));
    if (file.path.ends_with(".yaml")) fuzz::require(parse_yaml(file.text).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const SuiteFiles files{[&](const std::string&) { return Result<std::string>(text); },
                         [](const std::string&) { return std::vector<std::string>(); }};
  for (const char* name : {"x.json", "x.csv"}) {
    look(import_ragas(name, text));
    look(import_deepeval(name, text));
    look(import_inspect(name, text));
  }
  look(import_chat_components("rag_answers.yaml", text));
  look(import_chat_components("output_guardrails.yaml", text));
  look(import_benchmark_task("x.yaml", text, files));
  look(import_persona_job("x.json", text));
  return 0;
}
