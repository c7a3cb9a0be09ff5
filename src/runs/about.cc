#include "runs/about.h"

#include <algorithm>
#include <filesystem>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/secrets/secrets.h"
#include "core/text.h"
#include "report/words.h"

namespace assay {
namespace {

enum class Shown { model, command, address, text };

// Where configs say it. A key may hold one text or several, or a list of objects of which `member` is meant.
struct Place {
  std::string_view what;
  std::string_view evaluation;  // empty: of whichever has the key
  std::string_view key;
  Shown shown = Shown::text;
  std::string_view member = {};
};

constexpr Place kPlaces[] = {
    {"target", "", "target.model.model", Shown::model},
    {"target", "", "target.http.url", Shown::address},
    {"target", "", "target.command", Shown::command},
    {"target", "experiment", "model", Shown::model},
    {"target", "experiment", "conditions", Shown::model, "model"},
    {"target", "benchmark", "model", Shown::model},
    {"system", "benchmark", "system"},
    {"conditions", "experiment", "conditions", Shown::text, "name"},
    {"judge", "", "judge.model", Shown::model},
    {"judge", "", "judge.cascade", Shown::model, "model"},
    {"judge", "rag_answers", "metrics", Shown::model, "model"},
    {"judge", "custom", "metrics", Shown::model, "model"},
    {"models", "custom", "matrix.models", Shown::model, "model"},
    {"judge", "persona", "model", Shown::model},
    {"judge", "", "pairwise.model", Shown::model},
    {"judge", "", "absolute.model", Shown::model},
};

std::vector<std::string> texts_at(const Config& config, const Place& place) {
  std::vector<std::string> texts;
  const auto take = [&](const Json& value) {
    const Json* wanted = place.member.empty() ? &value : find_member(value, place.member);
    if (wanted == nullptr) return;
    if (const auto text = as_text(*wanted); text && !text->empty()) texts.emplace_back(*text);
  };
  const Json* found = config.find(place.key);
  if (found == nullptr) return texts;
  if (const JsonArray* list = found->if_array()) {
    for (const Json& entry : *list) take(entry);
  } else {
    take(*found);
  }
  return texts;
}

// Without its query and without a name and password before the host, which may be secrets.
std::string public_address(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t at = url.substr(host, url.find('/', host) - host).rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return fmt::format("{}{}", url.substr(0, host), url.substr(host + at + 1));
}

// Who an alias of `models:` stands for.
std::string model_words(const Config& config, const std::string& name) {
  const Json* models = config.find("models");
  const Json* declared = models == nullptr ? nullptr : find_member(*models, name);
  if (declared == nullptr) return name;
  std::string words = fmt::format("{}/{}", text_at(*declared, "provider"), text_at(*declared, "name"));
  if (const std::string url = text_at(*declared, "base_url"); !url.empty())
    words += " at " + public_address(url);
  return words;
}

// The file and its directory, which tell data sets apart; the whole path stands in config.yaml.
std::string file_words(const std::string& path) {
  const std::filesystem::path file(path);
  const std::filesystem::path directory = file.parent_path().filename();
  return directory.empty() ? file.filename().string() : (directory / file.filename()).string();
}

std::string words_of(const Config& config, Shown shown, const std::string& text) {
  switch (shown) {
    case Shown::model:
      return model_words(config, text);
    case Shown::address:
      return public_address(text);
    default:
      return text;
  }
}

// Who is compared in a declared evaluation: "old (openai/gpt-4o-mini), live (http://127.0.0.1:9000/chat)".
std::vector<std::string> variant_words(const Config& config) {
  std::vector<std::string> words;
  const Json* variants = config.find("variants");
  if (variants == nullptr || !variants->is_object()) return words;
  for (const auto& [name, entry] : variants->get_object()) {
    const Config variant(entry.get_object());
    std::string who;
    if (variant.has("model")) who = model_words(config, variant.text("model.model"));
    if (variant.has("http")) who = public_address(variant.text("http.url"));
    if (variant.has("command")) who = join(variant.texts("command"), " ");
    if (variant.has("given")) who = "field " + variant.text("given");
    words.push_back(fmt::format("{} ({})", std::string_view(name), who));
  }
  return words;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> about_run(std::string_view evaluation_name,
                                                           const Config& config,
                                                           const Evaluation& evaluation) {
  Secrets secrets(kHiddenMark);
  for (const std::string& value : config.filled_secrets()) secrets.add(value);
  const bool answered_before = config.has("generate") && !config.boolean("generate");
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  if (answered_before) found.push_back({"target", {"not asked: the data hold its answers"}});
  if (auto variants = variant_words(config); !variants.empty())
    found.push_back({"variants", std::move(variants)});
  for (const Place& place : kPlaces) {
    if (!place.evaluation.empty() && place.evaluation != evaluation_name) continue;
    if (place.what == "target" && answered_before) continue;
    std::vector<std::string> texts = texts_at(config, place);
    if (texts.empty()) continue;
    if (place.shown == Shown::command) texts = {join(texts, " ")};
    auto entry =
        std::ranges::find(found, place.what, [](const auto& one) { return std::string_view(one.first); });
    if (entry == found.end()) entry = found.insert(entry, {std::string(place.what), {}});
    for (const std::string& text : texts) {
      std::string words = secrets.hide(words_of(config, place.shown, text));
      if (std::ranges::find(entry->second, words) == entry->second.end())
        entry->second.push_back(std::move(words));
    }
  }
  std::vector<std::pair<std::string, std::string>> about;
  about.reserve(found.size() + 2);
  for (const auto& [what, words] : found) about.emplace_back(what, join(words, ", "));
  about.emplace_back("data", file_words(evaluation.data_path()));
  if (const auto seed = config.integer("seed"); seed && evaluation.asks_outside())
    about.emplace_back("seed", std::to_string(*seed));
  return about;
}

std::string taken_words(const CaseChoice& choice, std::int64_t taken, std::int64_t left_out) {
  if (left_out == 0) return counted_words(taken, "case", "cases");
  const std::string all = counted_words(taken + left_out, "case", "cases");
  if (choice.only.empty()) return fmt::format("first {} of {}", count_words(taken), all);
  return fmt::format("{} of {}, by id", count_words(taken), all);
}

}  // namespace assay
