#include "evaluations/benchmark/scoring/scorers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "evaluations/scoring/number.h"
#include "evaluations/scoring/ranking.h"

namespace assay::benchmark {
namespace {

using scoring::Ranking;
using scoring::Records;
using scoring::Row;

// In the order of the enum.
constexpr std::array<std::string_view, 7> kNames = {"exact",  "number", "records", "ranking",
                                                    "schema", "rubric", "command"};

// --- reading -----------------------------------------------------------------------------------------------

// The part of a document below a pointer, as a document of its own.
YamlDocument below(const YamlDocument& document, const std::string& pointer, const Json& value) {
  YamlDocument part;
  part.value = value;
  for (auto at = document.positions.lower_bound(pointer);
       at != document.positions.end() && at->first.starts_with(pointer); ++at) {
    const std::string rest = at->first.substr(pointer.size());
    if (rest.empty() || rest.front() == '/') part.positions.emplace(rest, at->second);
  }
  return part;
}

std::string place(const YamlDocument& document, const std::string& pointer, const std::string& file) {
  const YamlPosition position = document.position(pointer);
  if (position.line == 0) return file;
  return fmt::format("{}{}line {}, column {}", file, file.empty() ? "" : ", ", position.line,
                     position.column);
}

// "/scorer/fields" as "scorer.fields".
std::string dotted(const std::string& pointer) {
  std::string path = pointer.starts_with('/') ? pointer.substr(1) : pointer;
  std::ranges::replace(path, '/', '.');
  return path;
}

class ScorerReader {
 public:
  ScorerReader(const YamlDocument& document, std::string pointer, const std::string& file,
               std::vector<ConfigProblem>& problems)
      : document_(document), pointer_(std::move(pointer)), file_(file), problems_(problems) {}

  std::optional<Scorer> read() {
    const std::size_t before = problems_.size();
    const Json* config = find_pointer(document_.value, pointer_);
    if (config == nullptr || config->is_null()) {
      complain("", "missing; the name of a scorer or an object with `name` is needed");
      return std::nullopt;
    }
    Scorer scorer;
    const auto name = name_in(*config);
    if (!name) return std::nullopt;
    scorer.name = *name;
    read_options(config->is_object() ? config->get_object() : JsonObject{{"name", *config}}, scorer);
    return problems_.size() == before ? std::optional(std::move(scorer)) : std::nullopt;
  }

 private:
  std::optional<ScorerName> name_in(const Json& config) {
    const Json* given = config.is_object() ? find_member(config, "name") : &config;
    const std::string field = config.is_object() ? "/name" : "";
    if (given == nullptr) {
      complain("", fmt::format("`name` is missing; known are {}", fmt::join(kNames, ", ")));
      return std::nullopt;
    }
    const auto text = as_text(*given);
    const auto name = text ? scorer_named(*text) : std::nullopt;
    if (!name) {
      const auto guess = text ? nearest(*text, std::span<const std::string_view>(kNames)) : std::nullopt;
      complain(field, fmt::format("found {}, expected one of {}{}", excerpt(*given), fmt::join(kNames, ", "),
                                  guess ? fmt::format("; did you mean `{}`?", *guess) : ""));
    }
    return name;
  }

  void read_options(const JsonObject& options, Scorer& scorer) {
    Keys keys = scorer_keys(scorer.name);
    keys.insert(keys.begin(), {.name = "name", .help = "the scorer"});
    ConfigSource source;
    source.file = file_;
    source.document = below(document_, pointer_, options);
    const ResolvedConfig resolved = resolve_config(keys, source);
    for (ConfigProblem problem : resolved.problems) {
      problem.key = dotted(pointer_) + (problem.key.empty() ? "" : "." + problem.key);
      problems_.push_back(std::move(problem));
    }
    const Config& config = resolved.config;
    scorer.rule = {config.text("key"), config.boolean("strict_types")};
    scorer.tolerance = config.number("tolerance").value_or(0);
    scorer.cutoff = config.number("cutoff");
    if (scorer.cutoff && *scorer.cutoff < scorer.tolerance) {
      complain("/cutoff", fmt::format("found {}, expected at least the tolerance, {}",
                                      number_text(*scorer.cutoff), number_text(scorer.tolerance)));
    }
    scorer.criteria = config.texts("criteria");
    scorer.command = config.texts("command");
    scorer.timeout = config.duration("timeout");
    if (const Json* fields = config.find("fields")) read_fields(*fields, scorer);
    if (const Json* schema = config.find("schema")) read_schema(*schema, scorer);
  }

  void read_fields(const Json& fields, Scorer& scorer) {
    if (!fields.is_object())
      return complain("/fields", fmt::format("found {}, expected field names with tolerances, as in "
                                             "{{priority_score: 0.1}}",
                                             excerpt(fields)));
    for (const auto& [name, value] : fields.get_object()) {
      const auto tolerance = as_number(value);
      if (!tolerance || *tolerance < 0) {
        complain(fmt::format("/fields/{}", std::string_view(name)),
                 fmt::format("found {}, expected a number of at least 0", excerpt(value)));
        continue;
      }
      scorer.fields[name] = *tolerance;
    }
  }

  void read_schema(const Json& schema, Scorer& scorer) {
    if (!schema.is_object() && !schema.is_bool())
      return complain("/schema", fmt::format("found {}, expected a JSON schema", excerpt(schema)));
    auto compiled = Schema::compile(schema);
    if (!compiled) return complain("/schema", compiled.error().text());
    scorer.schema = std::make_shared<const Schema>(std::move(*compiled));
  }

  void complain(const std::string& field, std::string text) {
    std::string at = pointer_ + field;
    while (document_.position(at).line == 0 && !at.empty()) at.resize(at.rfind('/'));
    problems_.push_back({place(document_, at, file_), dotted(pointer_ + field), std::move(text)});
  }

  const YamlDocument& document_;
  std::string pointer_;
  const std::string& file_;
  std::vector<ConfigProblem>& problems_;
};

// --- the single scorers ------------------------------------------------------------------------------------

AnswerScore zero(std::string why) {
  return {0, {}, {std::move(why)}};
}

AnswerScore exact_score(const Json& expected, const Json& answer) {
  if (canonical_text(expected) == canonical_text(answer)) return {1, {}, {}};
  return zero(fmt::format("found {}, expected {}", excerpt(answer), excerpt(expected)));
}

AnswerScore number_score(const Scorer& scorer, const Json& expected, const Json& answer) {
  const auto wanted = number_in(expected, scorer.rule);
  const auto got = number_in(answer, scorer.rule);
  if (!wanted) return zero(fmt::format("expected_output is {}, not a number", excerpt(expected)));
  if (!got) return zero(fmt::format("found {}, expected a number", excerpt(answer)));
  AnswerScore score;
  score.value = scoring::number_score(*wanted, *got, {scorer.tolerance, scorer.cutoff});
  score.details = {{"difference", std::fabs(*got - *wanted)}};
  return score;
}

AnswerScore rows_score(const Scorer& scorer, const Json& expected, const Json& answer) {
  const auto wanted = read_rows(expected, scorer.rule);
  if (!wanted) return zero(fmt::format("expected_output is {}, not a list", excerpt(expected)));
  const auto got = read_rows(answer, scorer.rule, *wanted);
  if (!got) return zero(fmt::format("found {}, expected a list", excerpt(answer)));
  AnswerScore score;
  if (scorer.name == ScorerName::ranking) {
    const Ranking ranking = compare_rankings(*wanted, *got);
    score = {ranking.score, to_json(ranking), {}};
  } else {
    const Records records = compare_records(*wanted, *got, scorer.fields, scorer.rule.strict_types);
    score = {records.score, to_json(records), {}};
    // Whoever declares `records` knows; whoever declares nothing may have meant the order, too.
    if (scorer.by_form && compare_rankings(*wanted, *got).tau.value_or(1) < 1)
      score.notes.emplace_back(
          "the rows are in another order than expected, which `records` does not look at");
  }
  if (!got->note.empty()) score.notes.push_back(got->note);
  return score;
}

AnswerScore schema_score(const Schema& schema, const Json& answer) {
  const auto defects = schema.validate(answer);
  if (defects.empty()) return {1, {{"defects", 0}}, {}};
  AnswerScore score = zero(describe(defects));
  score.details = {{"defects", defects.size()}};
  return score;
}

bool is_row(const Json& value) {
  return value.is_object() ? !value.get_object().empty() : value.is_string() || value.is_number();
}
bool has_several_fields(const Json& row) {
  return row.is_object() && row.get_object().size() > 1;
}

void row_misfits(const Scorer& scorer, const Json& expected, std::vector<std::string>& found) {
  const auto rows = read_rows(expected, scorer.rule);
  if (!rows) {
    found.push_back(fmt::format("expected_output is {}, but `{}` needs a list", excerpt(expected),
                                to_string(scorer.name)));
    return;
  }
  std::set<std::string_view> ids;
  std::set<std::string> fields;
  for (std::size_t i = 0; i < rows->rows.size(); ++i) {
    const Row& row = rows->rows[i];
    if (!row.id) {
      found.push_back(fmt::format("expected_output[{}] has no id{}", i,
                                  rows->field.empty() ? "" : fmt::format(" under `{}`", rows->field)));
    } else if (!ids.insert(*row.id).second) {
      found.push_back(fmt::format("expected_output[{}] repeats the id {}", i, *row.id));
    }
    if (const auto* object = row.value->if_object()) {
      for (const auto& member : *object) fields.insert(member.key());
    }
  }
  for (const auto& [name, tolerance] : scorer.fields) {
    if (!fields.contains(name))
      found.push_back(fmt::format("no row of expected_output has the field `{}` of `fields`", name));
  }
}

}  // namespace

std::string_view to_string(ScorerName name) {
  return kNames.at(static_cast<std::size_t>(name));
}

std::optional<ScorerName> scorer_named(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ScorerName>(found - kNames.begin());
}

std::optional<Scorer> read_scorer(const YamlDocument& document, const std::string& pointer,
                                  const std::string& file, std::vector<ConfigProblem>& problems) {
  return ScorerReader(document, pointer, file, problems).read();
}

Keys scorer_keys(ScorerName name) {
  const Key strict = {.name = "strict_types",
                      .type = KeyType::boolean,
                      .help = "whether 123 and \"123\" are different",
                      .default_value = false};
  const Key key = {.name = "key", .help = "the field that is a row's id; default: its first field"};
  switch (name) {
    case ScorerName::number:
      return {{.name = "tolerance",
               .type = KeyType::number,
               .help = "a difference up to this is right",
               .default_value = 0,
               .minimum = 0,
               .maximum = 1e12},
              {.name = "cutoff",
               .type = KeyType::number,
               .help = "from this difference on the score is 0; between, it falls on a straight line",
               .minimum = 0,
               .maximum = 1e6},
              {.name = "key", .help = "the field that holds the number, if the answer is an object"},
              strict};
    case ScorerName::records:
      return {key,
              {.name = "fields",
               .type = KeyType::any,
               .help = "tolerances of numeric fields; all others must be equal",
               .example = "{priority_score: 0.1}"},
              strict};
    case ScorerName::ranking:
      return {key, strict};
    case ScorerName::schema:
      return {{.name = "schema",
               .type = KeyType::any,
               .help = "a JSON schema (draft 2020-12); default: expected_output"}};
    case ScorerName::rubric:
      return {{.name = "criteria",
               .type = KeyType::text_list,
               .help = "what a good answer fulfils; the judge decides on each",
               .required = true,
               .example = "[\"names every open ticket\", \"is polite\"]"}};
    case ScorerName::command:
      return {
          {.name = "command",
           .type = KeyType::command,
           .help = "a program: {task, parameters, expected, answer} as JSON on stdin, a number from 0 to 1 "
                   "on stdout, or an object with `score`",
           .required = true},
          {.name = "timeout",
           .type = KeyType::duration,
           .help = "longest time for one answer",
           .default_value = "60s"}};
    case ScorerName::exact:
      return {};
  }
  return {};
}

Scorer default_scorer(const Json& expected) {
  Scorer scorer;
  scorer.by_form = true;
  if (expected.is_number()) scorer.name = ScorerName::number;
  const auto* list = expected.if_array();
  if (list == nullptr || list->empty() || !std::ranges::all_of(*list, is_row)) return scorer;
  scorer.name = std::ranges::any_of(*list, has_several_fields) ? ScorerName::records : ScorerName::ranking;
  return scorer;
}

bool needs_expected(const Scorer& scorer) {
  return scorer.name != ScorerName::rubric && scorer.name != ScorerName::command &&
         !(scorer.name == ScorerName::schema && scorer.schema != nullptr);
}

std::vector<std::string> misfits(const Scorer& scorer, const Json* expected) {
  std::vector<std::string> found;
  if (!needs_expected(scorer)) return found;
  if (expected == nullptr) {
    found.push_back(fmt::format("`{}` needs an expected_output", to_string(scorer.name)));
    return found;
  }
  if (scorer.name == ScorerName::number && !number_in(*expected, scorer.rule))
    found.push_back(fmt::format("expected_output is {}, but `number` needs a number", excerpt(*expected)));
  if (scorer.name == ScorerName::ranking || scorer.name == ScorerName::records)
    row_misfits(scorer, *expected, found);
  if (scorer.name == ScorerName::schema) {
    if (const auto compiled = Schema::compile(*expected); !compiled)
      found.push_back("expected_output is no JSON schema: " + compiled.error().text());
  }
  return found;
}

std::optional<AnswerScore> score(const Scorer& scorer, const Json* expected, const Json& answer) {
  if (scorer.name == ScorerName::rubric || scorer.name == ScorerName::command) return std::nullopt;
  if (scorer.name == ScorerName::schema && scorer.schema != nullptr)
    return schema_score(*scorer.schema, answer);
  if (expected == nullptr) return std::nullopt;
  switch (scorer.name) {
    case ScorerName::number:
      return number_score(scorer, *expected, answer);
    case ScorerName::records:
    case ScorerName::ranking:
      return rows_score(scorer, *expected, answer);
    case ScorerName::schema: {
      auto compiled = Schema::compile(*expected);
      if (!compiled) return zero("expected_output is no JSON schema: " + compiled.error().text());
      return schema_score(*compiled, answer);
    }
    default:
      return exact_score(*expected, answer);
  }
}

}  // namespace assay::benchmark
