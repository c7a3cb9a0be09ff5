#include "cli/init/starter.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <span>

#include <fmt/format.h>

#include "cli/examples.h"
#include "core/embedded.h"

namespace assay {

std::span<const EmbeddedText> embedded_templates();

namespace {

namespace fs = std::filesystem;

// Where the files of an evaluation come from: a folder of the examples, and of it the config and what else is
// named; a name that ends in a slash stands for all below it, an empty list for the whole folder.
struct Source {
  std::string_view evaluation;
  std::string_view folder;
  std::string_view config;
  std::initializer_list<std::string_view> files;
};

const Source kSources[] = {
    {"custom", "custom/", "support_bot.yaml", {"support_bot.csv", "tone.json", "prompts/"}},
    {"benchmark",
     "benchmark/",
     "benchmark.yaml",
     {"tasks/", "support.sql", "control_plane.sql", "open_tickets.json"}},
    {"experiment", "experiment/", "", {"queries/small.yaml", "prompts/t3.txt"}},
    {"guidelines", "guidelines/", "guidelines.yaml", {"conversations.jsonl", "shared/city.yaml"}},
    {"jailbreak_guardrails", "components/", "jailbreak_guardrails.yaml", {"jailbreak_guardrails.jsonl"}},
    {"output_guardrails", "components/", "output_guardrails.yaml", {"output_guardrails.jsonl"}},
    {"persona",
     "persona/",
     "persona_mode2.yaml",
     {"items.jsonl", "human.jsonl", "wrong_on_purpose.json", "personas/"}},
    {"question_router", "components/", "question_router.yaml", {"question_router.jsonl"}},
    {"rag_answers", "components/", "rag_answers.yaml", {"rag_answers.jsonl"}},
    {"retrieval", "components/", "retrieval.yaml", {"retrieval.jsonl"}},
    {"topic_tagger", "components/", "topic_tagger.yaml", {"topic_tagger.jsonl"}},
};

struct Place {
  std::string_view file;
  std::string_view template_name;
};
constexpr Place kIntegration[] = {{".github/workflows/assay.yml", "ci/github.yml"},
                                  {".gitlab-ci.yml", "ci/gitlab.yml"}};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

bool belongs(const Source& source, std::string_view name) {
  if (source.files.size() == 0) return true;
  return name == source.config || std::ranges::any_of(source.files, [&](std::string_view file) {
           return file.ends_with('/') ? name.starts_with(file) : name == file;
         });
}

// "persona_mode2.yaml" is "persona.yaml" where it stands alone; its remarks name it by that.
void add_config(const Source& source, std::string_view name, std::string_view text, Starter& starter) {
  starter.config = fmt::format("{}.yaml", source.evaluation);
  std::string own =
      replaced(std::string(text), fmt::format("examples/{}{}", source.folder, name), starter.config);
  starter.files.push_back({starter.config, std::move(own)});
}

bool is_config(const Source& source, std::string_view name) {
  if (!source.config.empty()) return name == source.config;
  return name.ends_with(".yaml") && name.find('/') == std::string_view::npos;
}

void add_examples(const Source& source, Starter& starter) {
  for (const EmbeddedText& example : embedded_examples()) {
    if (!example.name.starts_with(source.folder)) continue;
    const std::string_view name = example.name.substr(source.folder.size());
    if (!belongs(source, name)) continue;
    if (is_config(source, name) && starter.config.empty()) {
      add_config(source, name, example.text, starter);
    } else {
      starter.files.push_back({std::string(name), std::string(example.text)});
    }
    if (name.ends_with(".sql") && name.find('/') == std::string_view::npos)
      starter.databases.push_back({database_of(std::string(name)), std::string(example.text)});
  }
}

// Configs that no example serves for.
void add_templates(const Source& source, Starter& starter) {
  const std::string folder = fmt::format("{}/", source.evaluation);
  for (const EmbeddedText& text : embedded_templates()) {
    if (!text.name.starts_with(folder)) continue;
    add_config(source, text.name.substr(folder.size()), text.text, starter);
  }
}

void add_integration(Starter& starter) {
  for (const Place& place : kIntegration) {
    for (const EmbeddedText& text : embedded_templates()) {
      if (text.name == place.template_name)
        starter.files.push_back(
            {std::string(place.file), replaced(std::string(text.text), "@CONFIG@", starter.config)});
    }
  }
}

}  // namespace

Result<Starter> starter_for(std::string_view evaluation) {
  const auto* const source = std::ranges::find(kSources, evaluation, &Source::evaluation);
  Starter starter;
  if (source != std::end(kSources)) {
    add_templates(*source, starter);
    add_examples(*source, starter);
  }
  if (starter.config.empty())
    return fail(ErrorKind::usage, fmt::format("there is nothing to begin {} with", evaluation));
  add_integration(starter);
  return starter;
}

std::vector<std::string> in_the_way(const Starter& starter, const std::string& directory) {
  std::vector<std::string> there;
  for (const auto* list : {&starter.files, &starter.databases}) {
    for (const StarterFile& file : *list) {
      const fs::path path = fs::path(directory) / file.path;
      std::error_code ignored;
      if (fs::exists(fs::symlink_status(path, ignored))) there.push_back(path.lexically_normal().string());
    }
  }
  return there;
}

Status write_starter(const Starter& starter, const std::string& directory) {
  const auto path_of = [&](const StarterFile& file) {
    return (fs::path(directory) / file.path).lexically_normal().string();
  };
  for (const StarterFile& file : starter.files) {
    if (auto written = write_example(path_of(file), file.text); !written) return written;
  }
  for (const StarterFile& database : starter.databases) {
    if (auto made = make_database(path_of(database), database.text); !made) return made;
  }
  return {};
}

}  // namespace assay
