// A promptfoo suite that stands in a test, and what comes of it.
#pragma once

#include <algorithm>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/yaml.h"
#include "imports/promptfoo/promptfoo.h"

namespace assay {

struct ImportedInMemory {
  ImportedSuite suite;
  Json config;              // assay.yaml
  std::vector<Json> cases;  // cases.jsonl

  std::string file(const std::string& path) const {
    for (const ImportedFile& one : suite.files) {
      if (one.path == path) return one.text;
    }
    return "(no such file)";
  }
  // The metric of that name as JSON; null if there is none.
  std::string metric(std::string_view name) const {
    for (const Json& one : list_at(config, "metrics")) {
      if (text_at(one, "name") == name) return to_text(one);
    }
    return "null";
  }
  std::string at(std::string_view pointer) const {
    const Json* found = find_pointer(config, pointer);
    return found == nullptr ? "null" : to_text(*found);
  }
  std::string left_out() const { return listed(suite.left_out); }
  std::string notes() const { return listed(suite.notes); }

  static std::string listed(const std::vector<LeftOut>& list) {
    std::string out;
    for (const LeftOut& one : list) out += one.place + ": " + one.what + ": " + one.why + "\n";
    return out;
  }
};

inline ImportedInMemory imported(const std::string& text,
                                 const std::map<std::string, std::string>& files = {}) {
  SuiteFiles access;
  access.read = [files](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorKind::io, path + ": cannot open: no such file");
    return found->second;
  };
  access.matching = [files](const std::string& pattern) {
    std::vector<std::string> out;
    for (const auto& [path, content] : files) {
      if (path.starts_with(pattern.substr(0, pattern.find('*')))) out.push_back(path);
    }
    return out;
  };
  ImportedInMemory out;
  auto suite = import_promptfoo("suite.yaml", text, access);
  EXPECT_TRUE(suite) << suite.error().text();
  if (!suite) return out;
  out.suite = std::move(*suite);
  auto config = parse_yaml(out.file("assay.yaml"));
  EXPECT_TRUE(config) << config.error().text();
  if (config) out.config = config->value;
  const std::string lines = out.file("cases.jsonl");
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    out.cases.push_back(parse_json(lines.substr(at, end - at)).value_or(Json()));
    at = end + 1;
  }
  return out;
}

// A suite of one prompt and one model whose tests stand in `tests` (YAML, a list).
inline ImportedInMemory imported_tests(const std::string& tests,
                                       const std::map<std::string, std::string>& files = {}) {
  return imported("prompts: ['{{q}}']\nproviders: ['openai:m']\ntests:\n" + tests, files);
}

}  // namespace assay
