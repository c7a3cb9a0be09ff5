#include "runs/show/listed_cases.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "engine/case_feed.h"
#include "report/notable.h"
#include "runs/outcome_cursor.h"
#include "runs/passed.h"
#include "runs/seal.h"
#include "runs/show/opened_run.h"

namespace assay {
namespace {

enum Field : std::size_t {
  kId,
  kOutcome,
  kScores,
  kUsage,
  kLatency,
  kError,
  kPassed,
  kMetrics,
  kFields,
  kVerdicts,
  kFirst
};

// Where a case says what it is about, in the order of preference; then what it can be sorted into, whichever
// evaluation it is of.
constexpr std::array kAbout{"question", "message", "query", "input", "title", "text"};
constexpr std::array kTraits{"cluster",
                             "model",
                             "system",
                             "variation",
                             "file",
                             "role",
                             "query_type",
                             "ambiguous",
                             "expected_outcome",
                             "actual_outcome",
                             "expected_primary_topic",
                             "actual_primary_topic",
                             "expected_opensearch_index",
                             "actual_opensearch_index",
                             "personaId",
                             "mode",
                             "perspectiveId",
                             "classification",
                             "scored_on",
                             "answer_state",
                             "status",
                             "expected_triggered",
                             "actual_triggered",
                             "correct",
                             "exact_match"};
constexpr std::size_t kMostText = 160;
constexpr std::size_t kMostTrait = 60;

std::vector<std::string> read_fields() {
  std::vector<std::string> names = {"id",    "outcome", "scores",  "usage",  "latency_ms",
                                    "error", "passed",  "metrics", "fields", "verdicts"};
  names.insert(names.end(), kAbout.begin(), kAbout.end());
  names.insert(names.end(), kTraits.begin(), kTraits.end());
  return names;
}

// One line, since it stands in a table.
std::string in_a_line(std::string_view text) {
  std::string line = shorten(text.substr(0, 4 * kMostText), kMostText);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

// The first value of a name is the case's.
void add_trait(CaseGlance& one, std::string_view name, std::string_view value) {
  if (value.empty() || value.size() > kMostTrait) return;
  if (std::ranges::find(one.traits, name, &std::pair<std::string, std::string>::first) == one.traits.end())
    one.traits.emplace_back(name, value);
}

std::string_view applied_words(const Json& verdict) {
  if (find_member(verdict, "skipped") != nullptr) return "skipped";
  const Json* applied = find_member(verdict, "applied");
  const auto yes = applied == nullptr ? std::nullopt : as_boolean(*applied);
  return !yes ? "undetermined" : *yes ? "applied" : "not applied";
}

// What the judges said of each guideline, and of each classification: by perspective where there are several.
void add_verdicts(CaseGlance& one, const Json& verdicts) {
  const JsonArray* list = verdicts.if_array();
  if (list == nullptr) return;
  const bool several = std::ranges::find(one.traits, std::string("perspectiveId"),
                                         &std::pair<std::string, std::string>::first) == one.traits.end();
  for (const Json& verdict : *list) {
    if (const std::string guideline = text_at(verdict, "guideline"); !guideline.empty())
      add_trait(one, guideline, applied_words(verdict));
    const std::string classification = text_at(verdict, "classificationName");
    if (classification.empty()) continue;
    const Json* likert = find_member(verdict, "evaluationLikert");
    const std::string value = likert != nullptr ? to_text(*likert) : text_at(verdict, "evaluationAgreement");
    add_trait(
        one,
        several ? fmt::format("{}, {}", classification, text_at(verdict, "perspectiveId")) : classification,
        value);
  }
}

// What is told of all that come, in their order or the worst of them.
class Chosen {
 public:
  Chosen(const CasesWanted& wanted, const std::function<void(const CaseGlance&)>& tell)
      : wanted_(wanted), tell_(tell) {
    if (wanted_.worst) wanted_.worst = std::min(*wanted_.worst, wanted_.limit.value_or(*wanted_.worst));
  }

  // `goodness`: where the case stands among those that are worth a look, if it is one of them.
  void add(CaseGlance one, std::optional<double> goodness = {}) {
    if (wanted_.failed && !one.failed()) return;
    ++listed_.fitting;
    if (wanted_.worst) return keep(std::move(one), goodness);
    if (wanted_.limit && listed_.told >= static_cast<std::int64_t>(*wanted_.limit)) return;
    ++listed_.told;
    tell_(one);
  }

  CasesListed end() {
    for (const auto& [badness, one] : worst_) {
      ++listed_.told;
      tell_(one);
    }
    return listed_;
  }

 private:
  // What the evaluation shows first, then failures, then by mean score; what has no outcome or score yet is
  // nothing to look at.
  static std::optional<std::pair<int, double>> badness(const CaseGlance& one,
                                                       std::optional<double> goodness) {
    if (goodness) return std::pair(0, *goodness);
    if (one.outcome != "scored") return one.failed() ? std::optional(std::pair(1, 0.0)) : std::nullopt;
    const auto mean = one.mean_score();
    return mean ? std::optional(std::pair(2, *mean)) : std::nullopt;
  }

  void keep(CaseGlance one, std::optional<double> goodness) {
    const auto rank = badness(one, goodness);
    if (!rank) return;
    const auto at =
        std::ranges::upper_bound(worst_, *rank, {}, [](const auto& entry) { return entry.first; });
    worst_.insert(at, {*rank, std::move(one)});
    if (worst_.size() > *wanted_.worst) worst_.pop_back();
  }

  CasesWanted wanted_;
  const std::function<void(const CaseGlance&)>& tell_;
  std::vector<std::pair<std::pair<int, double>, CaseGlance>> worst_;  // the worst first
  CasesListed listed_;
};

// What the report shows as worth a look, the most telling first; nothing in runs of an earlier version.
using Places = std::map<std::string, std::pair<double, std::string>>;
Places shown_first(const std::string& directory) {
  Places places;
  const auto text = read_file(fmt::format("{}/{}", directory, kNotableFile));
  const auto tree = text ? parse_json(*text) : Result<Json>(fail(text.error()));
  const auto cases = tree ? notable_from_json(*tree) : Result<std::vector<NotableCase>>(fail(tree.error()));
  if (!cases) return places;
  for (const NotableCase& one : *cases)
    places.try_emplace(one.id, static_cast<double>(places.size()), one.why);
  return places;
}

Status list_results(const std::string& directory, const CasesWanted& wanted, Chosen& chosen) {
  const std::string file = directory + "/results.jsonl";
  const Places places = wanted.worst ? shown_first(directory) : Places();
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  GlanceReader glances;
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    auto one = glances.read(**line);
    if (!one)
      return fail(std::move(one.error()).with("file", file).with("line", std::to_string((*line)->number)));
    const auto place = places.find(one->id);
    if (place == places.end()) {
      chosen.add(std::move(*one));
    } else {
      one->why = place->second.second;
      chosen.add(std::move(*one), place->second.first);
    }
  }
}

// Every case of the data with what the journal holds of it. Both outlive the task.
Task<Result<std::int64_t>> list_journal(OpenedRun& run, Chosen& chosen) {
  auto states = co_await run.store->states({});
  if (!states) co_return fail(std::move(states.error()));
  OutcomeCursor outcomes(*run.store);
  CaseFeed feed(*run.evaluation);
  GlanceReader glances;
  std::int64_t not_begun = 0;
  for (;;) {
    auto next = co_await feed.next();
    if (!next) co_return fail(std::move(next.error()));
    if (!*next) co_return not_begun;
    const Case& input = **next;
    auto finished = co_await finished_case(run, outcomes, input);
    if (!finished) co_return fail(std::move(finished.error()));
    if (*finished) {
      LineOfCase result = result_of(*run.evaluation, input, **finished);
      auto one = glances.read_text(result.line);
      if (!one) co_return fail(std::move(one.error()));
      one->why = std::move(result.why);
      chosen.add(std::move(*one), result.goodness);
    } else if (std::ranges::binary_search(states->begun, input.index)) {
      chosen.add({.id = input.id, .outcome = std::string(kUnderWay)});
    } else {
      ++not_begun;
    }
  }
}

}  // namespace

bool has_results(const std::string& directory) {
  if (!file_exists(directory + "/results.jsonl")) return false;
  // The seal is broken as soon as somebody goes on with the run.
  return !RunStore::holds_run(directory) ||
         (file_exists(directory + "/summary.json") && file_exists(directory + "/" + kSealFile));
}

GlanceReader::GlanceReader() : parser_(read_fields()) {}

Result<CaseGlance> GlanceReader::read(const Line& line) {
  if (auto parsed = parser_.parse(line); !parsed) return fail(std::move(parsed.error()));
  return glance();
}

Result<CaseGlance> GlanceReader::read_text(std::string_view line) {
  if (auto parsed = parser_.parse_copy(line); !parsed) return fail(std::move(parsed.error()));
  return glance();
}

CaseGlance GlanceReader::glance() const {
  CaseGlance one;
  one.id = parser_.field(kId).text;
  one.outcome = parser_.field(kOutcome).text;
  one.error = parser_.field(kError).text;
  if (parser_.field(kLatency).kind == FieldValue::Kind::number)
    one.latency_ms = parser_.field(kLatency).number;
  const Json scores = parser_.tree(kScores);
  if (const JsonObject* by_name = scores.if_object()) {
    for (const auto& [name, value] : *by_name) one.scores.emplace_back(name, as_number(value));
  }
  const Json usage = parser_.tree(kUsage);
  if (const Json* cost = find_member(usage, "cost_usd")) one.cost_usd = as_number(*cost);
  one.below = passed_of(parser_.field(kPassed), parser_.tree(kMetrics)) == false;
  read_material(one);
  return one;
}

void GlanceReader::read_material(CaseGlance& one) const {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    const FieldValue& value = parser_.field(kFirst + kAbout.size() + i);
    if (value.kind == FieldValue::Kind::text) add_trait(one, kTraits[i], value.text);
    if (value.kind == FieldValue::Kind::boolean) add_trait(one, kTraits[i], value.boolean ? "true" : "false");
    if (value.kind == FieldValue::Kind::number) add_trait(one, kTraits[i], number_text(value.number));
  }
  if (parser_.field(kVerdicts).kind == FieldValue::Kind::list) add_verdicts(one, parser_.tree(kVerdicts));
  for (std::size_t i = 0; i < kAbout.size() && one.text.empty(); ++i) {
    const FieldValue& value = parser_.field(kFirst + i);
    if (value.kind == FieldValue::Kind::text) one.text = in_a_line(value.text);
  }
  if (parser_.field(kFields).kind != FieldValue::Kind::object) return;
  // Of a declared evaluation: the fields of its data, the longest of which is what the case is about unless
  // one has a name that says so.
  const Json fields = parser_.tree(kFields);
  std::string_view longest;
  for (const auto& [name, value] : fields.get_object()) {
    if (const auto text = as_text(value)) {
      add_trait(one, name, *text);
      if (text->size() > longest.size()) longest = *text;
    } else if (!value.is_structured() && !value.is_null()) {
      add_trait(one, name, to_text(value));
    }
  }
  for (const char* name : kAbout) {
    if (one.text.empty()) one.text = in_a_line(text_at(fields, name));
  }
  if (one.text.empty()) one.text = in_a_line(longest);
}

Result<CasesListed> list_cases(const std::string& directory, const CasesWanted& wanted,
                               const std::function<void(const CaseGlance&)>& tell) {
  if (auto there = check_run_directory(directory); !there) return fail(std::move(there.error()));
  Chosen chosen(wanted, tell);
  std::int64_t not_begun = 0;
  const bool finished = has_results(directory);
  if (finished) {
    if (auto read = list_results(directory, wanted, chosen); !read) return fail(std::move(read.error()));
  } else {
    auto run = OpenedRun::open(directory);
    if (!run) return fail(std::move(run.error()));
    if (!(*run)->evaluation) return fail(std::move(*(*run)->no_evaluation));
    auto read = (*run)->loop.run_until_done(list_journal(**run, chosen));
    if (!read) return fail(std::move(read.error()));
    not_begun = *read;
  }
  CasesListed listed = chosen.end();
  listed.not_begun = not_begun;
  listed.finished = finished;
  return listed;
}

}  // namespace assay
