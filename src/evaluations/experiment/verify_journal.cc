#include "evaluations/experiment/verify_journal.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/plan_texts.h"
#include "core/text.h"
#include "engine/finished_case.h"
#include "engine/replay.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/experiment_files.h"
#include "evaluations/experiment/judging/records.h"

namespace assay::experiment {
namespace {

namespace fs = std::filesystem;

// Judgements of one kind by what they are about, as they are written in an outcome.
using Written = std::map<std::string, std::string>;

Written written(const Json& record, std::string_view kind, std::initializer_list<const char*> about) {
  Written all;
  for (const Json& one : list_at(record, kind)) {
    std::string key;
    for (const char* part : about) key += to_text(*find_member(one, part)) + " ";
    all[key] = canonical_text(one);
  }
  return all;
}

std::size_t first_difference(std::string_view one, std::string_view other) {
  const auto [at, ignored] = std::ranges::mismatch(one, other);
  return static_cast<std::size_t>(std::count(one.begin(), at, '\n')) + 1;
}

class JournalCheck {
 public:
  JournalCheck(std::string directory, const Design& design, const BlindingKey& key,
               const std::vector<Query>& queries, KeptJournal& journal)
      : directory_(std::move(directory)), design_(design), key_(key), queries_(queries), journal_(journal) {}

  Result<JournalDefects> check(Config config) {
    auto texts = journal_.texts();
    if (!texts) return fail(std::move(texts.error()));
    config.use_texts(PlanTexts(std::move(*texts)));
    auto outcomes = journal_.outcomes();
    if (!outcomes) return fail(std::move(outcomes.error()));
    for (const OutcomeRow& row : *outcomes) {
      kept_[row.case_id] = {row.case_index, read_finished(row).outcome.result};
    }
    std::vector<ConfigProblem> problems;
    PromptLibrary prompts;
    prompts.replace(config, problems);
    const ExperimentPlan plan = read_plan(config, prompts, query_list(config), problems);
    const Judges judges = read_judges(config, design_, prompts, problems);
    for (const ConfigProblem& problem : problems)
      defects_.replies.push_back(fmt::format("config.yaml, {}: {}", problem.key, problem.text));
    check_files(judges);
    if (!problems.empty()) return std::move(defects_);
    for (const Query& query : queries_) {
      if (auto checked = check_replies(plan, judges, query); !checked)
        return fail(std::move(checked.error()));
    }
    return std::move(defects_);
  }

 private:
  struct KeptCase {
    std::int64_t index = 0;
    JsonObject record;
  };

  QueryList query_list(const Config& config) const {
    QueryList list;
    list.chosen = config.has("limit") || config.has("only");
    list.path = "results.jsonl";
    for (const Query& query : queries_) {
      const auto kept = kept_.find(query.id);
      list.entries.push_back({kept == kept_.end() ? 0 : kept->second.index, 0, query});
    }
    return list;
  }

  // Everything that the outcomes give, written once more into memory.
  void check_files(const Judges& judges) {
    std::map<std::string, std::string> again;
    ExperimentFiles files(design_, key_, judges, [&again](const std::string& name, std::string_view bytes) {
      again[name] += bytes;
    });
    for (const Query& query : queries_) {
      const auto kept = kept_.find(query.id);
      files.add(judged_query(design_, query,
                             record_from(kept == kept_.end() ? JsonObject() : kept->second.record)));
    }
    files.finish();
    for (const auto& [name, text] : again) {
      ++defects_.compared_files;
      const auto found = read_file(directory_ + "/" + name);
      if (!found) {
        defects_.files.push_back(name + " is missing");
      } else if (*found != text) {
        defects_.files.push_back(fmt::format("{}, line {}: differs from what the journal gives", name,
                                             first_difference(*found, text)));
      }
    }
    tell_extra_files(again);
  }

  void tell_extra_files(const std::map<std::string, std::string>& known) {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(directory_, ignored)) {
      if (!entry.is_regular_file(ignored)) continue;
      const std::string name = fs::relative(entry.path(), directory_, ignored).generic_string();
      const bool ours =
          name.starts_with(kResponses) || name.starts_with(kBlinded) || name.ends_with("_results.json");
      if (ours && !known.contains(name)) defects_.files.push_back(name + " is a file too many");
    }
    std::ranges::sort(defects_.files);
  }

  Status check_replies(const ExperimentPlan& plan, const Judges& judges, const Query& query) {
    const auto kept = kept_.find(query.id);
    if (kept == kept_.end()) return {};
    auto effects = journal_.effects_of(kept->second.index);
    if (!effects) return fail(std::move(effects.error()));
    defects_.replies_read += effects->size();
    ReplayContext context(std::move(*effects), design_.seed, query.id);
    const Outcome outcome = journal_.run(evaluate_query(plan, judges, query, kept->second.index, context));
    for (const std::string& step : context.differences())
      defects_.replies.push_back(
          fmt::format("{}, {}: the journal's question is not the one that config.yaml and the answers give",
                      query.id, step));
    // What a record does not have may have failed in a way that the journal does not hold.
    const QueryRecord then = record_from(kept->second.record);
    const QueryRecord now = record_from(outcome.result);
    for (std::size_t place = 0; place < std::min(then.responses.size(), now.responses.size()); ++place) {
      if (then.responses[place] != now.responses[place])
        defects_.replies.push_back(
            fmt::format("{}, {}: the answer is not the journal's reply", query.id, design_.file_at(place)));
    }
    const Json was = to_json(then);
    const Json is = to_json(now);
    compare(query, "comparison", written(was, "pairs", {"e", "a", "b", "r", "s"}),
            written(is, "pairs", {"e", "a", "b", "r", "s"}));
    compare(query, "rating", written(was, "ratings", {"e", "c", "r"}),
            written(is, "ratings", {"e", "c", "r"}));
    compare(query, "verdict on a role", written(was, "roles", {"e", "c", "r"}),
            written(is, "roles", {"e", "c", "r"}));
    return {};
  }

  void compare(const Query& query, std::string_view what, const Written& then, const Written& now) {
    for (const auto& [about, text] : then) {
      const auto found = now.find(about);
      if (found == now.end() || found->second != text)
        defects_.replies.push_back(fmt::format("{}: a {} of evaluator {} is not the journal's reply",
                                               query.id, what, about.substr(0, about.find(' '))));
    }
    for (const auto& [about, text] : now) {
      if (!then.contains(about))
        defects_.replies.push_back(fmt::format("{}: a {} of evaluator {} was replied and is not counted",
                                               query.id, what, about.substr(0, about.find(' '))));
    }
  }

  std::string directory_;
  const Design& design_;
  const BlindingKey& key_;
  const std::vector<Query>& queries_;
  KeptJournal& journal_;
  std::map<std::string, KeptCase> kept_;  // by query
  JournalDefects defects_;
};

}  // namespace

Result<JournalDefects> held_against_journal(const std::string& directory, Config config, const Design& design,
                                            const BlindingKey& key, const std::vector<Query>& queries) {
  auto journal = KeptJournal::open(directory);
  if (!journal) return fail(std::move(journal.error()));
  return JournalCheck(directory, design, key, queries, **journal).check(std::move(config));
}

}  // namespace assay::experiment
