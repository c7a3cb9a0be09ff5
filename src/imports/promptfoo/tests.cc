#include "imports/promptfoo/tests.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/jsonl.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "imports/promptfoo/assertions.h"
#include "imports/promptfoo/providers.h"
#include "imports/promptfoo/template.h"

namespace assay::promptfoo {
namespace {

constexpr std::size_t kMostCombinations = 10'000;  // of the variables of one test

Json text(std::string_view value) {
  return boost::json::string(value);
}

// Keys of a test that are read, or that change no verdict.
constexpr auto kTestKeys = std::to_array<std::string_view>(
    {"vars", "assert", "description", "threshold", "options", "metadata", "type"});
// Kinds of assertions that read the file of their value themselves.
constexpr auto kReadElsewhere =
    std::to_array<std::string_view>({"python", "javascript", "is-json", "contains-json", "ruby"});
constexpr auto kOptionKeys = std::to_array<std::string_view>(
    {"provider", "rubricPrompt", "disableVarExpansion", "disableDefaultAsserts"});

class TestReader {
 public:
  explicit TestReader(Reading& reading) : reading_(reading) {}

  Tests read(const Node& suite) {
    suite_ = suite;
    default_ = suite.member("defaultTest");
    if (const std::string path = file_of(default_.text()); !path.empty()) {
      const auto document = read_yaml(path, default_);
      default_ = document ? *document : Node();
    }
    tell_unread(default_, "defaultTest");
    out_.judge = default_.member("options").member("provider");
    out_.judge_prompt = default_.member("options").member("rubricPrompt");
    const Node tests = suite.member("tests");
    const Node scenarios = suite.member("scenarios");
    if (tests.is_text()) read_reference(tests.text(), tests);
    for (const Node& entry : tests.items()) {
      if (entry.is_text()) {
        read_reference(entry.text(), entry);
      } else {
        add({entry});
      }
    }
    if (tests.is_object())
      reading_.leave_out(tests, "tests", "tests that a program makes are not read; write them into a file");
    for (const Node& scenario : scenarios.items()) read_scenario(scenario);
    if (!tests.present() && !scenarios.present()) add({});
    return std::move(out_);
  }

 private:
  std::optional<Node> read_yaml(const std::string& path, const Node& at) {
    const auto content = reading_.files.read(path);
    if (!content) {
      reading_.leave_out(at, path, content.error().text());
      return std::nullopt;
    }
    auto document = read_document(path, *content);
    if (!document) {
      reading_.leave_out(at, path, document.error().text());
      return std::nullopt;
    }
    return *document;
  }

  void read_reference(const std::string& reference, const Node& at) {
    const std::string named = file_of(reference);
    const std::string path = named.empty() ? reference : named;
    if (path.find("://") != std::string::npos || path.starts_with("huggingface:")) {
      reading_.leave_out(at, "tests",
                         fmt::format("{} is not a file; save it as CSV beside the suite", reference));
      return;
    }
    std::vector<std::string> paths = {path};
    if (path.find_first_of("*?") != std::string::npos) {
      paths = reading_.files.matching(path);
      if (paths.empty()) reading_.leave_out(at, "tests", fmt::format("no file fits {}", path));
    }
    for (const std::string& one : paths) read_file(one, at);
  }

  void read_file(const std::string& path, const Node& at) {
    const std::string end = extension_of(path);
    if (end != ".csv" && end != ".json" && end != ".jsonl" && end != ".yaml" && end != ".yml") {
      reading_.leave_out(at, "tests",
                         fmt::format("{} is not read; write them as CSV, JSON, JSONL or YAML", path));
      return;
    }
    if (end == ".yaml" || end == ".yml" || end == ".json") {
      const auto document = read_yaml(path, at);
      if (!document) return;
      if (document->is_object()) add({*document});
      for (const Node& entry : document->items()) add({entry});
      return;
    }
    const auto content = reading_.files.read(path);
    if (!content) {
      reading_.leave_out(at, "tests", content.error().text());
    } else if (end == ".csv") {
      read_csv(path, *content, at);
    } else {
      read_lines(path, *content);
    }
  }

  void read_lines(const std::string& path, std::string_view content) {
    std::uint64_t number = 0;
    for (const std::string_view line : split_lines(content)) {
      ++number;
      if (trim(line).empty()) continue;
      auto value = parse_json(line);
      if (value) {
        add({line_document(path, number, std::move(*value))});
      } else {
        reading_.left_out.push_back({fmt::format("{}, line {}", path, number), "test",
                                     not_json_words({.text = line, .number = number}, value.error())});
      }
    }
  }

  void read_csv(const std::string& path, std::string_view content, const Node& at) {
    const auto table = parse_csv(content);
    if (!table) {
      reading_.leave_out(at, path, table.error().message);
      return;
    }
    for (const CsvRow& row : table->rows)
      add({line_document(path, row.line, test_in_row(path, table->columns, row, reading_))});
  }

  void read_scenario(const Node& scenario) {
    std::vector<Node> tests = scenario.member("tests").items();
    if (scenario.is_text() || scenario.member("tests").is_text() || scenario.member("config").is_text()) {
      reading_.leave_out(scenario, "scenario", "scenarios in files are not read; write their tests out");
      return;
    }
    if (tests.empty()) tests.emplace_back();
    for (const Node& data : scenario.member("config").items()) {
      for (const Node& test : tests) add({data, test});
    }
  }

  // What a test says that has no counterpart, told at its place.
  void tell_unread(const Node& test, const std::string& what) {
    for (const auto& [key, value] : test.members()) {
      if (!among(key, kTestKeys))
        reading_.leave_out(value, fmt::format("{} of {}", key, what), unread_reason(key));
    }
    for (const auto& [key, value] : test.member("options").members()) {
      const bool is_part = key == "transform" && part_of_output(value.text());
      if (!is_part && !among(key, kOptionKeys))
        reading_.leave_out(value, fmt::format("option {} of {}", key, what), unread_reason(key));
    }
    if (test.member("threshold").present())
      reading_.leave_out(test.member("threshold"), "threshold of " + what,
                         "a case passes if all its metrics pass; a weighted mean has no counterpart");
  }

  static std::string unread_reason(std::string_view key) {
    if (key == "transform" || key == "postprocess")
      return "outputs are looked at as they came; a JSON pointer in `of` takes a part, a `program` anything";
    if (key == "prompts" || key == "providers" || key == "provider")
      return "every variant answers every case; put such cases into a config of their own";
    if (key == "assertScoringFunction") return "a case passes if all its metrics pass";
    return "it has no counterpart";
  }

  void add(const std::vector<Node>& layers) {
    Test test;
    if (default_.is_object()) add_layer(default_, test);
    bool default_asserts = true;
    for (const Node& layer : layers) {
      if (layer.present() && !layer.is_object()) {
        reading_.leave_out(layer, "test", "it is not an object");
        return;
      }
      tell_unread(layer, "a test");
      if (as_boolean(layer.member("options").member("disableDefaultAsserts").value()) == true)
        default_asserts = false;
      tell_judge(layer);
      add_layer(layer, test);
    }
    part_ = part_of_output(default_.member("options").text_of("transform")).value_or(OutputPart());
    for (const Node& layer : layers) {
      if (layer.member("options").member("transform").present())
        part_ = part_of_output(layer.member("options").text_of("transform")).value_or(OutputPart());
    }
    if (default_asserts) add_assertions(default_.member("assert"), test);
    for (const Node& layer : layers) add_assertions(layer.member("assert"), test);
    if (!layers.empty()) test.at = layers.back().present() ? layers.back() : layers.front();
    bool expand = as_boolean(default_.member("options").member("disableVarExpansion").value()) != true;
    for (const Node& layer : layers) {
      if (as_boolean(layer.member("options").member("disableVarExpansion").value()) == true) expand = false;
    }
    expand_and_keep(test, expand);
  }

  void tell_judge(const Node& layer) {
    const Node judge = layer.member("options").member("provider");
    if (!judge.present()) return;
    if (!out_.judge.present()) {
      out_.judge = judge;
    } else if (to_text(judge.value()) != to_text(out_.judge.value())) {
      reading_.leave_out(judge, "grading provider of a test",
                         "a run has one judge; the first that is named judges");
    }
  }

  void add_layer(const Node& layer, Test& test) {
    Node variables = layer.member("vars");
    if (const std::string path = file_of(variables.text()); !path.empty())
      variables = read_yaml(path, variables).value_or(Node());
    if (variables.present() && !variables.is_object())
      reading_.leave_out(variables, "vars of a test", "they are neither an object nor one file");
    for (const auto& [name, value] : variables.members()) test.variables[name] = value.value();
    for (const auto& [name, value] : layer.member("metadata").members()) test.metadata[name] = value.value();
    if (layer.member("description").is_text()) test.description = layer.text_of("description");
  }

  void add_assertions(const Node& list, Test& test) {
    if (const std::string path = file_of(list.text()); !path.empty()) {
      if (const auto document = read_yaml(path, list)) add_assertions(*document, test);
      return;
    }
    for (const Node& entry : list.items()) {
      if (const std::string path = file_of(entry.text()); !path.empty()) {
        if (const auto document = read_yaml(path, entry)) add_assertions(*document, test);
      } else if (entry.text_of("type") == "assert-set") {
        if (entry.member("threshold").present() || entry.member("weight").present()) {
          reading_.leave_out(entry, "assert-set with a threshold or weight",
                             "all of its assertions must pass; a weighted mean has no counterpart");
        }
        add_assertions(entry.member("assert"), test);
      } else {
        add_assertion(entry, test);
      }
    }
  }

  // "#/assertionTemplates/short": what stands there in the suite.
  Node referenced(const Node& entry) const {
    const std::string reference = entry.text_of("$ref");
    if (!reference.starts_with("#/")) return entry;
    Node found = suite_;
    for (const std::string_view part : split(std::string_view(reference).substr(2), '/'))
      found = found.member(part);
    return found.present() ? found : entry;
  }

  // What a file that an assertion names as its value holds. Code and schemas are read where they are used.
  Json value_of(const Node& entry, std::string_view type) {
    const Node value = entry.member("value");
    const std::string path = file_of(value.text());
    if (path.empty() || among(type, kReadElsewhere)) return value.value();
    const std::string end = extension_of(path.substr(0, path.find(':')));
    if (end == ".json" || end == ".yaml" || end == ".yml")
      return read_yaml(path, value).value_or(Node()).value();
    const auto content = reading_.files.read(path);
    if (!content || end != ".txt") {
      reading_.leave_out(value, path,
                         content ? "a value that a program makes is not read" : content.error().text());
      return nullptr;
    }
    return text(trim(*content));
  }

  void add_assertion(const Node& given, Test& test) {
    const Node entry = referenced(given);
    Assertion out;
    out.type = entry.text_of("type");
    if (out.type.empty()) {
      reading_.leave_out(entry, "assertion", "it has no type");
      return;
    }
    if (out.type.starts_with("not-")) {
      out.inverse = true;
      out.type = out.type.substr(4);
    }
    if (entry.member("contextTransform").present() && out.type.starts_with("context-")) {
      reading_.leave_out(
          entry.member("contextTransform"), "assertion " + out.type,
          "its context is a part of the reply: let `map` of the variant say where `contexts` are, "
          "and declare `rag` under `metrics`");
      return;
    }
    out.value = value_of(entry, out.type);
    out.threshold = as_number(entry.member("threshold").value());
    out.weight = as_number(entry.member("weight").value()).value_or(1);
    out.metric = entry.text_of("metric");
    out.config = entry.member("config");
    out.provider = entry.member("provider");
    out.at = entry;
    OutputPart part = part_;
    const auto own = part_of_output(entry.text_of("transform"));
    if (own) part = {part.pointer + own->pointer, part.parsed || own->parsed};
    out.of = part.pointer;
    out.parsed = part.parsed && part.pointer.empty();
    for (const std::string_view key : {"transform", "contextTransform", "rubricPrompt"}) {
      if (entry.member(key).present() && !(own && key == "transform"))
        reading_.leave_out(entry.member(key), fmt::format("{} of an assertion", key), unread_reason(key));
    }
    test.assertions.push_back(std::move(out));
  }

  // Files that variables name, and templates inside them.
  void resolve(Test& test) {
    for (auto& member : test.variables) {
      Json& value = member.value();
      const std::string path = value.is_string() ? file_of(std::string_view(value.get_string())) : "";
      if (!path.empty()) {
        const auto content = reading_.files.read(path);
        const std::string end = extension_of(path);
        if (end == ".py" || end == ".js" || end == ".mjs" || !content) {
          reading_.leave_out(
              test.at, fmt::format("variable {}", std::string_view(member.key())),
              content ? "it is made by a program; write what it makes into a file" : content.error().text());
          value = "";
          continue;
        }
        value = text(trim(*content));
      }
      if (const auto plain = as_text(value); plain && plain->ends_with('\n'))
        value = text(plain->substr(0, plain->size() - 1));
    }
    // A variable may name others; what names itself ends here.
    constexpr int kDeepest = 8;
    for (int round = 0; round < kDeepest; ++round) {
      bool changed = false;
      for (auto& member : test.variables) {
        const auto plain = as_text(member.value());
        if (!plain || plain->find("{{") == std::string_view::npos) continue;
        const auto rendered = render_text(*plain, test.variables);
        if (!rendered) {
          reading_.leave_out(test.at, fmt::format("template in variable {}", std::string_view(member.key())),
                             rendered.error().message);
          return;
        }
        changed = changed || *rendered != *plain;
        member.value() = text(*rendered);
      }
      if (!changed) return;
    }
  }

  void expand_and_keep(const Test& test, bool expand) {
    std::vector<JsonObject> combinations = {JsonObject{}};
    for (const auto& [name, value] : test.variables) {
      std::vector<Json> values = {value};
      const JsonArray* list = value.if_array();
      if (expand && list != nullptr && !list->empty() && list->front().is_string())
        values.assign(list->begin(), list->end());
      const std::string path = value.is_string() ? file_of(std::string_view(value.get_string())) : "";
      if (expand && path.find_first_of("*?") != std::string::npos) {
        values.clear();
        for (const std::string& one : reading_.files.matching(path)) values.push_back(text("file://" + one));
      }
      if (values.empty()) {
        reading_.leave_out(test.at, "test", fmt::format("no file fits {}", path));
        return;
      }
      if (combinations.size() * values.size() > kMostCombinations) {
        reading_.leave_out(test.at, "test", "its lists of variables make more than 10,000 cases");
        return;
      }
      std::vector<JsonObject> wider;
      for (const JsonObject& combination : combinations) {
        for (const Json& one : values) {
          wider.push_back(combination);
          wider.back()[name] = one;
        }
      }
      combinations = std::move(wider);
    }
    for (JsonObject& combination : combinations) {
      Test one = test;
      one.variables = std::move(combination);
      resolve(one);
      out_.tests.push_back(std::move(one));
    }
  }

  Reading& reading_;
  Node suite_;
  Node default_;
  OutputPart part_;  // of the test that is being read
  Tests out_;
};

}  // namespace

Tests read_tests(const Node& suite, Reading& reading) {
  return TestReader(reading).read(suite);
}

}  // namespace assay::promptfoo
