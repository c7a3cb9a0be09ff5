#include "evaluations/components/data.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <unordered_set>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::components {
namespace {

constexpr std::size_t kIdSpelling = 0;

bool has_type(const FieldValue& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.kind == FieldValue::Kind::text;
    case FieldType::boolean:
      return value.kind == FieldValue::Kind::boolean;
    case FieldType::number:
      return value.kind == FieldValue::Kind::number;
    case FieldType::any:
      return true;
  }
  return false;
}

std::string_view expected_words(const DataField& field) {
  if (!field.expected.empty()) return field.expected;
  switch (field.type) {
    case FieldType::text:
      return "text";
    case FieldType::boolean:
      return "true or false";
    case FieldType::number:
      return "a number";
    case FieldType::any:
      return "a value";
  }
  return "";
}

std::string check_cluster(const Json& value) {
  if (value.is_number() || !as_text(value).value_or("").empty()) return "";
  return fmt::format("found {}, expected text or a number: it is the config's `cluster`", excerpt(value));
}

class JsonlSource final : public CaseSource {
 public:
  JsonlSource(std::string path, LineReader reader, const DataFields& fields)
      : path_(std::move(path)), reader_(std::move(reader)), fields_(fields), parser_(fields.spellings()) {}

  Result<bool> next() override {
    for (;;) {
      auto line = reader_.next();
      if (!line) return fail(std::move(line.error()));
      if (!*line) return false;
      ++lines_;
      if (read(**line)) return true;
      ++invalid_;
    }
  }

  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, reader_.place()}; }

  Status go_to(const CasePlace& place) override {
    if (auto gone = reader_.go_to(place.line); !gone) return gone;
    auto line = reader_.next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return fail(Error{ErrorKind::data, "the file has become shorter", {{"file", path_}}});
    if (auto parsed = parser_.parse(**line); !parsed) return parsed;
    current_ = {place.index, place.line.number, id_of(**line), fields_.cluster(parser_, cluster_), &parser_};
    return {};
  }

  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return lines_; }
  std::int64_t invalid() const override { return invalid_; }

 private:
  bool read(const Line& line) {
    if (auto parsed = parser_.parse(line); !parsed) {
      add("error", line.number, parsed.error().message);
      return false;
    }
    bool good = true;
    for (const std::string& text : fields_.problems(parser_)) {
      add("error", line.number, text);
      good = false;
    }
    for (const std::string& name : parser_.repeated()) {
      add("warning", line.number,
          fmt::format("field {}: is there more than once; the last one counts", name));
    }
    current_ = {lines_ - 1, line.number, id_of(line), {}, &parser_};
    if (good) current_.cluster = fields_.cluster(parser_, cluster_);
    if (current_.id.empty()) {
      add("error", line.number, "field id: found a value that is neither text nor a whole number");
      return false;
    }
    if (!claim(current_.id, parser_.field(kIdSpelling).present())) {
      add("error", line.number,
          fmt::format("field id: \"{}\" is there on an earlier line already", current_.id));
      good = false;
    }
    return good;
  }

  std::string_view id_of(const Line& line) {
    const FieldValue& given = parser_.field(kIdSpelling);
    if (given.kind == FieldValue::Kind::text) return given.text;
    std::int64_t number = static_cast<std::int64_t>(line.number);
    if (given.kind == FieldValue::Kind::number) {
      const auto whole = as_integer(parser_.tree(kIdSpelling));
      if (!whole) return {};
      number = *whole;
    } else if (given.present() && given.kind != FieldValue::Kind::null) {
      return {};
    }
    const auto end = std::to_chars(id_, id_ + sizeof id_, number).ptr;
    return {id_, static_cast<std::size_t>(end - id_)};
  }

  // Line numbers are ids of their own and cannot clash with each other; they are remembered only beside given
  // ones.
  bool claim(std::string_view id, bool given) {
    if (!given && seen_.empty()) {
      unclaimed_lines_ = lines_;
      return true;
    }
    if (seen_.empty()) {
      for (std::int64_t line = 1; line <= unclaimed_lines_; ++line) seen_.insert(hash(std::to_string(line)));
    }
    return seen_.insert(hash(id)).second;
  }

  static std::size_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

  void add(std::string severity, std::uint64_t line, std::string text) {
    problems_.push_back({std::move(severity), fmt::format("{}, line {}", path_, line), std::move(text)});
  }

  std::string path_;
  LineReader reader_;
  const DataFields& fields_;
  LineParser parser_;
  Case current_;
  char id_[24] = {};
  std::string cluster_;  // of the line, if it is a number
  std::vector<Problem> problems_;
  std::int64_t lines_ = 0;
  std::int64_t invalid_ = 0;
  std::int64_t unclaimed_lines_ = 0;
  std::unordered_set<std::size_t> seen_;
};

}  // namespace

DataFields::DataFields(std::vector<DataField> fields, LineCheck check, const std::string& cluster)
    : fields_(std::move(fields)), check_(std::move(check)), spellings_{"id"} {
  if (!cluster.empty()) {
    const auto declared = std::ranges::find(fields_, cluster, &DataField::name);
    cluster_ = static_cast<std::size_t>(declared - fields_.begin());
    if (declared == fields_.end())
      fields_.push_back({.name = cluster, .type = FieldType::any, .check = check_cluster});
  }
  for (const DataField& field : fields_) {
    const std::size_t first = spellings_.size();
    spellings_.push_back(field.name);
    spellings_.insert(spellings_.end(), field.other_names.begin(), field.other_names.end());
    ranges_.emplace_back(first, spellings_.size());
  }
}

std::size_t DataFields::spelling_of(const LineParser& line, std::size_t field) const {
  const auto [first, last] = ranges_[field];
  for (std::size_t i = first; i < last; ++i) {
    if (line.field(i).present()) return i;
  }
  return first;
}

std::string_view DataFields::cluster(const LineParser& line, std::string& number) const {
  if (!cluster_) return {};
  const FieldValue& given = value(line, *cluster_);
  if (given.kind == FieldValue::Kind::text) return given.text;
  number = to_text(tree(line, *cluster_));
  return number;
}

const FieldValue& DataFields::value(const LineParser& line, std::size_t field) const {
  return line.field(spelling_of(line, field));
}

Json DataFields::tree(const LineParser& line, std::size_t field) const {
  return line.tree(spelling_of(line, field));
}

JsonObject DataFields::present(const LineParser& line) const {
  JsonObject object;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (value(line, i).present()) object.emplace(fields_[i].name, tree(line, i));
  }
  return object;
}

std::vector<std::string> DataFields::problems(const LineParser& line) const {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const DataField& field = fields_[i];
    const std::size_t spelling = spelling_of(line, i);
    const FieldValue& here = line.field(spelling);
    const std::string& name = spellings_[spelling];
    for (std::size_t other = spelling + 1; other < ranges_[i].second; ++other) {
      if (line.field(other).present() && line.tree(other) != line.tree(spelling)) {
        found.push_back(fmt::format("fields {} and {}: are two names of one field, but their values differ",
                                    name, spellings_[other]));
      }
    }
    if (!here.present()) {
      if (field.presence == Presence::required) {
        found.push_back(fmt::format("field {}: missing, expected {}", field.name, expected_words(field)));
      }
      continue;
    }
    if (here.kind == FieldValue::Kind::null && (field.nullable || field.presence == Presence::optional))
      continue;
    if (!has_type(here, field.type)) {
      found.push_back(fmt::format("field {}: found {}, expected {}", name, excerpt(line.tree(spelling)),
                                  expected_words(field)));
      continue;
    }
    if (field.check) {
      const std::string text = field.check(line.tree(spelling));
      if (!text.empty()) found.push_back(fmt::format("field {}: {}", name, text));
    }
  }
  if (found.empty() && check_) found = check_(*this, line);
  return found;
}

Result<std::unique_ptr<CaseSource>> open_data(const std::string& path, const DataFields& fields) {
  auto reader = LineReader::open(path);
  if (!reader) return fail(std::move(reader.error()));
  return std::make_unique<JsonlSource>(path, std::move(*reader), fields);
}

std::string text_of(const FieldValue& value) {
  return value.kind == FieldValue::Kind::text ? std::string(value.text) : std::string();
}

}  // namespace assay::components
