// Checks a finished run by its files alone: nothing is taken from the journal, and no model is asked.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/yaml.h"
#include "evaluations/experiment/analysis.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/experiment_files.h"
#include "evaluations/experiment/gathering.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kToldDefects = 3;

// Where the first difference is, for people.
std::string first_difference(const Json& a, const Json& b, const std::string& at) {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.get_object()) {
      const Json* other = find_member(b, key);
      std::string inner = at + "/" + std::string(key);
      if (other == nullptr) return inner;
      if (canonical_text(value) != canonical_text(*other)) return first_difference(value, *other, inner);
    }
    for (const auto& [key, value] : b.get_object()) {
      if (find_member(a, key) == nullptr) return at + "/" + std::string(key);
    }
  }
  if (a.is_array() && b.is_array() && a.get_array().size() == b.get_array().size()) {
    for (std::size_t i = 0; i < a.get_array().size(); ++i) {
      if (canonical_text(a.get_array()[i]) != canonical_text(b.get_array()[i]))
        return first_difference(a.get_array()[i], b.get_array()[i], fmt::format("{}/{}", at, i));
    }
  }
  return at.empty() ? "everything" : at;
}

class Verifying {
 public:
  explicit Verifying(std::string directory) : directory_(std::move(directory)) {}

  Result<std::vector<RunCheck>> run() {
    const std::string config_text = read("config.yaml");
    const std::string key_text = read(kKeyFile);
    const std::string commitment_text = read(kCommitmentFile);
    const std::string results_text = read("results.jsonl");
    const std::string analysis_text = read(kAnalysisFile);
    if (auto config = parse_yaml(config_text); config && config->value.is_object())
      design_ = design_of(Config(config->value.get_object()));
    const Json key = parsed(key_text);
    if (key.is_object()) read_answers(key.get_object());
    read_evaluators();
    if (!missing_.empty())
      return fail(
          Error{ErrorKind::data,
                fmt::format("not a finished experiment: {} cannot be read", fmt::join(missing_, ", ")),
                {{"directory", directory_}}});
    check_commitment(key_text, parsed(commitment_text));
    check_key(key_text);
    check_blinding();
    check_analysis(results_text, analysis_text);
    return std::move(checks_);
  }

 private:
  struct Evaluator {
    std::string file;
    int number = 0;
    Json rows;
  };

  std::string read(const std::string& name) {
    auto text = read_file(directory_ + "/" + name);
    if (text) return std::move(*text);
    missing_.push_back(name);
    return "";
  }

  static Json parsed(const std::string& text) {
    auto json = parse_json(text);
    return json ? std::move(*json) : Json(nullptr);
  }

  void told(std::string what, const std::vector<std::string>& defects, std::string if_good) {
    std::string detail = std::move(if_good);
    if (!defects.empty()) {
      const std::size_t count = std::min(defects.size(), kToldDefects);
      detail = fmt::format(
          "{}", fmt::join(defects.begin(), defects.begin() + static_cast<std::ptrdiff_t>(count), "; "));
      if (defects.size() > count) detail += fmt::format("; and {} more", defects.size() - count);
    }
    checks_.push_back({std::move(what), defects.empty(), std::move(detail)});
  }

  // The answers and their blinded copies, by the key.
  void read_answers(const JsonObject& key) {
    std::map<std::string, std::pair<std::size_t, int>> files;
    for (std::size_t condition = 0; condition < design_.conditions.size(); ++condition) {
      for (int run = 1; run <= design_.runs; ++run)
        files[response_file(design_.conditions[condition].name, run, design_.runs)] = {condition, run};
    }
    for (const auto& [name, code] : key) {
      const auto own = files.find(std::string(name));
      const std::string dataset(as_text(code).value_or(""));
      originals_[std::string(name)] = parsed(read(kResponses + std::string(name)));
      blinded_[std::string(name)] = parsed(read(kBlinded + dataset));
      if (own != files.end()) places_[dataset] = own->second;
    }
  }

  void read_evaluators() {
    for (int i = 1; i <= design_.pairwise_evaluators; ++i) add_evaluator(pairwise_file(i), i);
    for (int i = design_.pairwise_evaluators + 1; i <= design_.evaluators(); ++i)
      add_evaluator(absolute_file(i), i);
    const auto [first, last] = design_.role_evaluators();
    for (int i = first; i <= last; ++i) {
      if (file_exists(directory_ + "/" + role_file(i))) add_evaluator(role_file(i), i);
    }
  }

  void add_evaluator(const std::string& file, int number) {
    const std::string text = read(file);
    if (!text.empty()) evaluators_.push_back({file, number, parsed(text)});
  }

  void check_commitment(const std::string& key_text, const Json& commitment) {
    const std::string hash = hex(sha256(key_text));
    const std::string committed = text_at(commitment, "sha256");
    std::vector<std::string> defects;
    if (hash != committed)
      defects.push_back(fmt::format("its SHA-256 is {}, committed was {}", hash, committed));
    told("randomization_key.json is the key that was committed to", defects,
         fmt::format("SHA-256 {}, committed {}", hash, text_at(commitment, "started")));
  }

  void check_key(const std::string& key_text) {
    std::vector<std::string> defects;
    if (key_text != BlindingKey(design_).text())
      defects.emplace_back("another one follows from the names and the seed of config.yaml");
    told("the key follows from names and seed", defects, fmt::format("seed {}", design_.seed));
  }

  void check_blinding() {
    std::vector<std::string> defects;
    std::size_t texts = 0;
    for (const auto& [file, answers] : originals_) {
      const Json& copy = blinded_.at(file);
      if (!answers.is_object() || !copy.is_object()) {
        defects.push_back(fmt::format("{} or its copy is no object of texts", file));
        continue;
      }
      if (answers.get_object().size() != copy.get_object().size())
        defects.push_back(fmt::format("{} and its copy hold different queries", file));
      for (const auto& [query, text] : answers.get_object()) {
        ++texts;
        const auto shown = find_text(copy, query);
        if (!shown || *shown != take_out_roles(as_text(text).value_or("")).text)
          defects.push_back(fmt::format("{}, {}: the copy is not the answer without its role marks", file,
                                        std::string(query)));
      }
    }
    told("blinded texts equal the answers but for role marks", defects,
         fmt::format("{} answers in {} files", texts, originals_.size()));
  }

  // Rows of the evaluators' files, by query, with codes turned back into conditions and runs.
  std::map<std::string, QueryRecord> records(std::vector<std::string>& defects) const {
    std::map<std::string, QueryRecord> all;
    for (const Evaluator& evaluator : evaluators_) {
      for (const Json& row : list_at(evaluator.rows, "judgements")) {
        QueryRecord& record = all[text_at(row, "query")];
        if (!take_row(row, evaluator, record))
          defects.push_back(
              fmt::format("{} holds a judgement that cannot be read: {}", evaluator.file, excerpt(row)));
      }
    }
    return all;
  }

  bool take_row(const Json& row, const Evaluator& evaluator, QueryRecord& record) const {
    if (find_member(row, "lost") != nullptr) {
      const Json* failures = find_member(row, "format_failures");
      record.lost.push_back({evaluator.number,
                             failures == nullptr ? 0 : static_cast<int>(as_integer(*failures).value_or(0)),
                             ""});
      return true;
    }
    BlindedPlace place;
    const auto answer = [&](const std::string& code, std::size_t& condition, int& run) {
      const auto found = places_.find(code);
      if (found == places_.end()) return false;
      condition = found->second.first;
      run = found->second.second;
      return true;
    };
    if (find_member(row, "winner") != nullptr) {
      auto kept = pair_from_row(row, place);
      if (!kept || !answer(place.response_a, kept->judgement.condition_a, kept->judgement.run) ||
          !answer(place.response_b, kept->judgement.condition_b, kept->judgement.run))
        return false;
      kept->judgement.evaluator = evaluator.number;
      record.pairs.push_back(std::move(*kept));
      return true;
    }
    if (find_member(row, "role_appropriate") != nullptr) {
      auto kept = role_from_row(row, place);
      if (!kept || !answer(place.response_a, kept->judgement.condition, kept->judgement.run)) return false;
      kept->judgement.evaluator = evaluator.number;
      record.roles.push_back(std::move(*kept));
      return true;
    }
    auto kept = rating_from_row(row, place);
    if (!kept || !answer(place.response_a, kept->judgement.condition, kept->judgement.run)) return false;
    kept->judgement.evaluator = evaluator.number;
    record.ratings.push_back(std::move(*kept));
    return true;
  }

  void check_analysis(const std::string& results_text, const std::string& analysis_text) {
    std::vector<std::string> defects;
    std::map<std::string, QueryRecord> by_query = records(defects);
    Gathering gathering(design_);
    for (const std::string_view line : split_lines(results_text)) {
      const Json json = parsed(std::string(line));
      Query query{text_at(json, "id"), text_at(json, "query"), text_at(json, "query_type"),
                  text_at(json, "role"), false};
      if (const Json* ambiguous = find_member(json, "ambiguous"))
        query.ambiguous = as_boolean(*ambiguous).value_or(false);
      QueryRecord record = std::move(by_query[query.id]);
      by_query.erase(query.id);
      for (const Condition& condition : design_.conditions) {
        for (int run = 1; run <= design_.runs; ++run) {
          const auto file = originals_.find(response_file(condition.name, run, design_.runs));
          record.responses.push_back(file == originals_.end() ? std::nullopt
                                                              : find_text(file->second, query.id));
        }
      }
      gathering.add(query, record, blinded(record.responses));
    }
    for (const auto& [query, record] : by_query)
      defects.push_back(fmt::format("judgements on query {}, which results.jsonl does not have", query));
    const ExperimentData& data = gathering.data();
    if (defects.empty()) {
      const Json again = to_json(analyse(data, {.seed = design_.seed}));
      const Json before = parsed(analysis_text);
      if (canonical_text(again) != canonical_text(before))
        defects.push_back(fmt::format("analysis.json differs at {}", first_difference(before, again, "")));
    }
    told("the analysis follows from the evaluators' files and the key", defects,
         fmt::format("{} comparisons, {} ratings, {} verdicts on roles", data.pairs.size(),
                     data.ratings.size(), data.roles.size()));
  }

  std::string directory_;
  Design design_;
  std::vector<std::string> missing_;
  std::map<std::string, Json> originals_;  // by file of answers
  std::map<std::string, Json> blinded_;
  std::map<std::string, std::pair<std::size_t, int>> places_;  // by code: condition and run
  std::vector<Evaluator> evaluators_;
  std::vector<RunCheck> checks_;
};

}  // namespace

Result<std::vector<RunCheck>> verify_experiment(const std::string& directory) {
  return Verifying(directory).run();
}

}  // namespace assay::experiment
