#include "runs/show/case_index.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/text.h"
#include "core/yaml.h"
#include "runs/show/listed_cases.h"
#include "runs/show/run_version.h"

namespace assay {
namespace {

constexpr std::size_t kMostError = 300;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double or_none(const std::optional<double>& value) {
  return value.value_or(kNone);
}
std::optional<double> or_nothing(double value) {
  return std::isnan(value) ? std::nullopt : std::optional<double>(value);
}

std::vector<std::string> declared_slices(const std::string& directory) {
  std::vector<std::string> names;
  const auto text = read_file(directory + "/config.yaml");
  const auto config = text ? parse_yaml(*text) : fail(text.error());
  if (!config) return names;
  for (const Json& name : list_at(config->value, "slices")) names.push_back(text_or_json(name));
  return names;
}

}  // namespace

bool CaseQuery::same_rows(const CaseQuery& other) const {
  return outcome == other.outcome && failed == other.failed && search == other.search && sort == other.sort &&
         descending == other.descending && traits == other.traits && metric == other.metric &&
         above == other.above && below == other.below;
}

Result<std::shared_ptr<const CaseIndex>> CaseIndex::read(const std::string& directory) {
  auto index = std::make_shared<CaseIndex>();
  index->directory_ = directory;
  index->slices_ = declared_slices(directory);
  index->finished_ = has_results(directory);
  if (index->finished_) {
    if (auto read = index->read_results(std::numeric_limits<std::size_t>::max()); !read)
      return fail(std::move(read.error()));
    return index;
  }
  auto listed = list_cases(directory, {}, [&index](const CaseGlance& one) {
    index->add(one);
    index->texts_.push_back(one.text);
  });
  if (!listed) return fail(std::move(listed.error()));
  index->not_begun_ = listed->not_begun;
  return index;
}

Result<std::shared_ptr<const CaseIndex>> CaseIndex::read_first(const std::string& directory,
                                                               std::size_t rows) {
  auto index = std::make_shared<CaseIndex>();
  index->directory_ = directory;
  index->slices_ = declared_slices(directory);
  index->finished_ = true;
  if (auto read = index->read_results(rows); !read) return fail(std::move(read.error()));
  return index;
}

Status CaseIndex::read_results(std::size_t most) {
  const std::string file = directory_ + "/results.jsonl";
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  GlanceReader glances;
  while (ids_.size() < most) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    auto one = glances.read(**line);
    if (!one)
      return fail(std::move(one.error()).with("file", file).with("line", std::to_string((*line)->number)));
    add(*one);
    places_.push_back(reader->place().offset);
  }
  return {};
}

CaseIndex::Column& CaseIndex::column(const std::string& name) {
  const auto found = std::ranges::find(score_names_, name);
  if (found != score_names_.end()) return scores_[static_cast<std::size_t>(found - score_names_.begin())];
  score_names_.push_back(name);
  return scores_.emplace_back();
}

void CaseIndex::add(const CaseGlance& one) {
  const std::string ended(one.ended());
  std::size_t number = 0;
  while (number < ended_names_.size() &&
         (ended_names_[number] != ended || outcome_names_[number] != one.outcome))
    ++number;
  if (number == ended_names_.size()) {
    ended_names_.push_back(ended);
    outcome_names_.push_back(one.outcome);
  }
  if (!one.error.empty()) errors_.emplace(static_cast<Row>(ids_.size()), shorten(one.error, kMostError));
  for (const auto& [name, value] : one.scores) {
    Column& scores = column(name);
    scores.resize(ids_.size(), kNone);
    scores.push_back(or_none(value));
  }
  add_traits(one);
  ids_.push_back(one.id);
  ended_.push_back(static_cast<std::uint16_t>(number));
  failed_.push_back(one.failed() ? 1 : 0);
  costs_.push_back(or_none(one.cost_usd));
  latencies_.push_back(or_none(one.latency_ms));
  ++outcomes_[ended];
}

// Of a row that is about to be added.
void CaseIndex::add_traits(const CaseGlance& one) {
  for (const auto& [name, value] : one.traits) {
    auto trait = std::ranges::find(traits_, name, &Trait::name);
    if (trait == traits_.end()) {
      if (traits_.size() == kMostTraits) continue;
      trait = traits_.insert(trait, Trait{.name = name, .values = {}, .column = {}});
    }
    if (trait->dropped) continue;
    auto known = std::ranges::find(trait->values, value);
    if (known == trait->values.end()) {
      if (trait->values.size() == kMostValues) {
        *trait = Trait{.name = name, .values = {}, .column = {}, .dropped = true};
        continue;
      }
      known = trait->values.insert(known, value);
    }
    trait->column.resize(ids_.size(), 0);
    trait->column.push_back(static_cast<std::uint8_t>(known - trait->values.begin() + 1));
  }
}

bool CaseIndex::has_trait(Row row, const std::pair<std::string, std::string>& wanted) const {
  return std::ranges::any_of(traits_, [&](const Trait& trait) {
    if (!wanted.first.empty() && trait.name != wanted.first) return false;
    const std::size_t number = row < trait.column.size() ? trait.column[row] : 0;
    return number > 0 && trait.values[number - 1] == wanted.second;
  });
}

std::vector<std::pair<std::string, std::vector<std::string>>> CaseIndex::traits() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> traits;
  const auto is_declared = [this](const Trait& trait) {
    return std::ranges::find(slices_, trait.name) != slices_.end();
  };
  const auto add = [&](const Trait& trait) {
    if (!trait.dropped && trait.values.size() > 1) traits.emplace_back(trait.name, trait.values);
  };
  for (const std::string& name : slices_) {
    if (const auto found = std::ranges::find(traits_, name, &Trait::name); found != traits_.end())
      add(*found);
  }
  for (const Trait& trait : traits_) {
    if (!is_declared(trait) && 2 * trait.values.size() <= ids_.size()) add(trait);
  }
  return traits;
}

// What a run under way has no case of may still come.
Status CaseIndex::check_traits(const CaseQuery& query) const {
  if (!finished_) return {};
  for (const auto& [name, value] : query.traits) {
    if (name.empty()) continue;
    const auto found = std::ranges::find(traits_, name, &Trait::name);
    std::vector<std::string> known;
    if (found == traits_.end() || found->dropped) {
      for (const auto& [other, values] : traits()) known.push_back(other);
    } else if (std::ranges::find(found->values, value) == found->values.end()) {
      known = found->values;
    } else {
      continue;
    }
    constexpr std::size_t kTold = 20;
    const std::size_t more = known.size() - std::min(known.size(), kTold);
    known.resize(known.size() - more);
    return fail(ErrorKind::usage,
                fmt::format("slice: found \"{}:{}\", expected {} {}{}", name, value,
                            found == traits_.end() || found->dropped ? "one of the traits" : name + " to be",
                            known.empty() ? "(there are none)" : join(known, ", "),
                            more > 0 ? fmt::format(" or {} more", more) : ""));
  }
  return {};
}

Status CaseIndex::add_texts(std::vector<CaseGlance>& glances, std::span<const Row> rows) const {
  if (!finished_) {
    for (std::size_t i = 0; i < rows.size(); ++i) glances[i].text = texts_[rows[i]];
    return {};
  }
  if (rows.empty()) return {};
  auto reader = LineReader::open(directory_ + "/results.jsonl");
  if (!reader) return fail(std::move(reader.error()));
  GlanceReader lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (auto moved = reader->go_to({.offset = places_[rows[i]]}); !moved) return moved;
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (auto one = lines.read(**line)) glances[i].text = std::move(one->text);
  }
  return {};
}

CaseGlance CaseIndex::glance(Row row) const {
  CaseGlance one{.id = ids_[row],
                 .outcome = outcome_names_[ended_[row]],
                 .cost_usd = or_nothing(costs_[row]),
                 .latency_ms = or_nothing(latencies_[row])};
  one.below = ended_names_[ended_[row]] != one.outcome;
  for (std::size_t i = 0; i < score_names_.size(); ++i) {
    if (row < scores_[i].size()) one.scores.emplace_back(score_names_[i], or_nothing(scores_[i][row]));
  }
  if (const auto error = errors_.find(row); error != errors_.end()) one.error = error->second;
  return one;
}

// By row, whether it holds the text.
Result<std::vector<char>> CaseIndex::found(const std::string& search) const {
  const std::string wanted = lower_ascii(search);
  const auto holds = [&](std::string_view text) {
    return lower_ascii(text).find(wanted) != std::string::npos;
  };
  std::vector<char> found(ids_.size(), 0);
  for (std::size_t i = 0; i < ids_.size(); ++i) found[i] = holds(ids_[i]) ? 1 : 0;
  if (!finished_) {
    for (std::size_t i = 0; i < texts_.size(); ++i) found[i] |= holds(texts_[i]) ? 1 : 0;
    for (const auto& [row, error] : errors_) found[row] |= holds(error) ? 1 : 0;
    return found;
  }
  auto reader = LineReader::open(directory_ + "/results.jsonl");
  if (!reader) return fail(std::move(reader.error()));
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (found[i] == 0 && holds((*line)->text)) found[i] = 1;
  }
  return found;
}

Status CaseIndex::sort(std::vector<Row>& rows, const CaseQuery& query) const {
  // Rows that are equal stay in input order; what has no value comes last either way.
  const auto order = [&](const auto& key, const auto& missing) {
    std::ranges::sort(rows, [&](Row a, Row b) {
      if (missing(a) != missing(b)) return missing(b);
      if (!missing(a) && key(a) != key(b)) return query.descending ? key(b) < key(a) : key(a) < key(b);
      return a < b;
    });
  };
  const auto by_text = [&](const auto& key) { order(key, [](Row) { return false; }); };
  const auto by_number = [&](const Column& values) {
    const auto value = [&](Row row) { return row < values.size() ? values[row] : kNone; };
    order(value, [&](Row row) { return std::isnan(value(row)); });
  };
  if (query.sort.empty()) {
    if (query.descending) std::ranges::reverse(rows);
    return {};
  }
  const auto score = std::ranges::find(score_names_, query.sort);
  if (query.sort == "id") {
    by_text([this](Row row) -> const std::string& { return ids_[row]; });
  } else if (query.sort == "outcome") {
    by_text([this](Row row) -> const std::string& { return ended_names_[ended_[row]]; });
  } else if (query.sort == "cost") {
    by_number(costs_);
  } else if (query.sort == "latency") {
    by_number(latencies_);
  } else if (score != score_names_.end()) {
    by_number(scores_[static_cast<std::size_t>(score - score_names_.begin())]);
  } else {
    return fail(ErrorKind::usage,
                fmt::format("sort: found \"{}\", expected id, outcome, cost, latency or a score: {}",
                            query.sort, join(score_names_, ", ")));
  }
  return {};
}

Result<std::vector<CaseIndex::Row>> CaseIndex::rows_for(const CaseQuery& query) const {
  if (auto known = check_traits(query); !known) return fail(std::move(known.error()));
  std::vector<char> held;
  if (!query.search.empty()) {
    auto searched = found(query.search);
    if (!searched) return fail(std::move(searched.error()));
    held = std::move(*searched);
  }
  const Column* metric = nullptr;
  if (!query.metric.empty()) {
    const auto score = std::ranges::find(score_names_, query.metric);
    if (score == score_names_.end())
      return fail(ErrorKind::usage, fmt::format("metric: found \"{}\", expected a score: {}", query.metric,
                                                join(score_names_, ", ")));
    metric = &scores_[static_cast<std::size_t>(score - score_names_.begin())];
  }
  const auto within = [&](Row row) {
    const double value = row < metric->size() ? (*metric)[row] : kNone;
    return !std::isnan(value) && value >= query.above.value_or(-std::numeric_limits<double>::infinity()) &&
           value <= query.below.value_or(std::numeric_limits<double>::infinity());
  };
  std::vector<Row> rows;
  for (Row row = 0; row < ids_.size(); ++row) {
    if (query.failed && failed_[row] == 0) continue;
    if (!query.outcome.empty() && ended_names_[ended_[row]] != query.outcome) continue;
    if (!held.empty() && held[row] == 0) continue;
    if (metric != nullptr && !within(row)) continue;
    if (!std::ranges::all_of(query.traits, [&](const auto& wanted) { return has_trait(row, wanted); }))
      continue;
    rows.push_back(row);
  }
  if (auto sorted = sort(rows, query); !sorted) return fail(std::move(sorted.error()));
  return rows;
}

Result<CasePage> CaseIndex::page(const CaseQuery& query) const {
  const std::lock_guard guard(mutex_);
  if (!last_query_ || !last_query_->same_rows(query)) {
    auto rows = rows_for(query);
    if (!rows) return fail(std::move(rows.error()));
    last_rows_ = std::move(*rows);
    last_query_ = query;
  }
  CasePage page{.rows = {}, .fitting = last_rows_.size()};
  const std::size_t end =
      query.offset + std::min(query.count, last_rows_.size() - std::min(query.offset, last_rows_.size()));
  for (std::size_t i = query.offset; i < end; ++i) page.rows.push_back(glance(last_rows_[i]));
  const std::size_t first = std::min(query.offset, last_rows_.size());
  if (auto read = add_texts(page.rows, std::span(last_rows_).subspan(first, page.rows.size())); !read)
    return fail(std::move(read.error()));
  return page;
}

// Null if there is none, or an older one.
std::shared_ptr<const CaseIndex> CaseIndexes::kept(const std::string& directory, const std::string& version) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(kept_, directory, &Kept::directory);
  if (found == kept_.end()) return nullptr;
  if (found->version != version && std::chrono::steady_clock::now() >= found->not_before) return nullptr;
  std::rotate(kept_.begin(), found, std::next(found));
  return kept_.front().index;
}

std::shared_ptr<const CaseIndex> CaseIndexes::ready(const std::string& directory) {
  return kept(directory, run_version(directory).text);
}

Result<std::shared_ptr<const CaseIndex>> CaseIndexes::of(const std::string& directory) {
  const std::lock_guard alone(making_[std::hash<std::string>()(directory) % making_.size()]);
  const RunVersion version = run_version(directory);
  if (auto index = kept(directory, version.text)) return index;
  const auto began = std::chrono::steady_clock::now();
  auto index = CaseIndex::read(directory);
  if (!index) return fail(std::move(index.error()));
  // A run under way changes all the time: it is read anew at most a fifth of it.
  const auto ended = std::chrono::steady_clock::now();
  const std::lock_guard guard(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.directory == directory; });
  kept_.insert(kept_.begin(),
               {directory, version.settled ? version.text : "", ended + 5 * (ended - began), *index});
  if (kept_.size() > kMost) kept_.pop_back();
  return index;
}

}  // namespace assay
