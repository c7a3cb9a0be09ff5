#include "evaluations/components/data.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/visible.h"
#include "evaluations/jsonl_cases.h"

namespace assay::components {
namespace {

constexpr std::size_t kIdSpelling = 0;

// A field of the line that nobody reads and that is nearly called so.
std::string meant_by(const LineParser& line, const std::string& field) {
  std::vector<std::string> others;
  for (const auto& member : line.extras()) others.emplace_back(member.key());
  const auto near = nearest(field, others);
  return near ? fmt::format("; did you mean {0}? `fields: {{{1}: {0}}}` renames it", visible(*near), field)
              : std::string();
}

bool has_type(const FieldValue& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.kind == FieldValue::Kind::text;
    case FieldType::boolean:
      return value.kind == FieldValue::Kind::boolean;
    case FieldType::number:
      return value.kind == FieldValue::Kind::number;
    case FieldType::text_or_object:
      return value.kind == FieldValue::Kind::text || value.kind == FieldValue::Kind::object;
    case FieldType::any:
      return true;
  }
  return false;
}

bool has_type(const Json& value, FieldType type) {
  switch (type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::boolean:
      return value.is_bool();
    case FieldType::number:
      return value.is_number();
    case FieldType::text_or_object:
      return value.is_string() || value.is_object();
    case FieldType::any:
      return true;
  }
  return false;
}

// A text of a field that may be an object needs no further look: the common case stays quick.
bool needs_check(const DataField& field, bool is_text) {
  return field.check && !(field.type == FieldType::text_or_object && is_text);
}

std::string check_cluster(const Json& value) {
  if (value.is_number() || !as_text(value).value_or("").empty()) return "";
  return fmt::format("found {}, expected text or a number: it is the config's `cluster`", excerpt(value));
}

// Lines of flat fields, one parser for all of them.
class FieldForm final : public LineForm {
 public:
  explicit FieldForm(const DataFields& fields) : fields_(fields), parser_(fields.spellings()) {}

  void read(const Line& line, Findings& found) override {
    if (auto parsed = parser_.parse(line); !parsed) {
      found.errors.push_back(parsed.error().message);
      return;
    }
    found.errors = fields_.problems(parser_);
    found.named = true;
    if (found.errors.empty()) count_unread();
    for (const std::string& name : parser_.repeated())
      found.warnings.push_back(fmt::format("field {}: is there more than once; the last one counts", name));
  }

  Result<std::string_view> id() override {
    const FieldValue& given = parser_.field(kIdSpelling);
    if (given.kind == FieldValue::Kind::text && !given.text.empty()) return given.text;
    if (!given.present() || given.kind == FieldValue::Kind::null) return std::string_view();
    const auto whole =
        given.kind == FieldValue::Kind::number ? as_integer(parser_.tree(kIdSpelling)) : std::nullopt;
    if (!whole)
      return fail(ErrorKind::data, "field id: found a value that is neither text nor a whole number");
    const auto end = std::to_chars(id_, id_ + sizeof id_, *whole).ptr;
    return std::string_view(id_, static_cast<std::size_t>(end - id_));
  }

  std::string_view cluster() override { return fields_.cluster(parser_, cluster_); }
  void lend(Case& current) const override { current.fields = &parser_; }
  std::string_view id_words() const override { return "field id:"; }

  std::vector<std::string> at_end() override {
    std::vector<std::string> words;
    for (const auto& [field, counts] : unread_) {
      if (!counts.empty()) words.push_back(unread_words(fields_.fields()[field].name, counts));
    }
    return words;
  }

 private:
  void count_unread() {
    for (std::size_t i = 0; i < fields_.fields().size(); ++i) {
      const DataField& field = fields_.fields()[i];
      if (field.unread && fields_.value(parser_, i).present())
        field.unread(fields_.tree(parser_, i), unread_[i]);
    }
  }

  const DataFields& fields_;
  LineParser parser_;
  char id_[24] = {};
  std::string cluster_;                      // of the line, if it is a number
  std::map<std::size_t, KeyCounts> unread_;  // by the field's position
};

}  // namespace

std::string_view type_words(const DataField& field) {
  if (!field.expected.empty()) return field.expected;
  switch (field.type) {
    case FieldType::text:
      return "text";
    case FieldType::boolean:
      return "true or false";
    case FieldType::number:
      return "a number";
    case FieldType::text_or_object:
      return "text or an object";
    case FieldType::any:
      return "a value";
  }
  return "";
}

DataFields::DataFields(std::vector<DataField> fields, LineCheck check, const std::string& cluster)
    : fields_(std::move(fields)), declared_(fields_.size()), check_(std::move(check)), spellings_{"id"} {
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
        found.push_back(fmt::format("field {}: missing, expected {}{}", field.name, type_words(field),
                                    meant_by(line, field.name)));
      }
      continue;
    }
    if (here.kind == FieldValue::Kind::null && (field.nullable || field.presence == Presence::optional))
      continue;
    if (!has_type(here, field.type)) {
      found.push_back(fmt::format("field {}: found {}, expected {}", name, excerpt(line.tree(spelling)),
                                  type_words(field)));
      continue;
    }
    if (needs_check(field, here.kind == FieldValue::Kind::text)) {
      const std::string text = field.check(line.tree(spelling));
      if (!text.empty()) found.push_back(fmt::format("field {}: {}", name, text));
    }
  }
  if (found.empty() && check_) found = check_(*this, line);
  return found;
}

std::string value_problem(const DataField& field, const Json& value) {
  if (!has_type(value, field.type))
    return fmt::format("found {}, expected {}", excerpt(value), type_words(field));
  return needs_check(field, value.is_string()) ? field.check(value) : "";
}

WantedFields DataFields::wanted() const {
  const auto kind_of = [](FieldType type) {
    switch (type) {
      case FieldType::boolean:
        return ValueKind::boolean;
      case FieldType::number:
        return ValueKind::number;
      case FieldType::text_or_object:
      case FieldType::any:
        return ValueKind::tree;
      case FieldType::text:
        break;
    }
    return ValueKind::as_is;
  };
  WantedFields wanted;
  wanted.by_name.emplace("id", WantedField{.optional = true});
  for (const DataField& field : fields_) {
    const WantedField one{kind_of(field.type), field.nullable || field.presence == Presence::optional};
    wanted.by_name.emplace(field.name, one);
    for (const std::string& other : field.other_names) wanted.by_name.emplace(other, one);
  }
  return wanted;
}

Result<std::unique_ptr<CaseSource>> open_data(const DataFile& data, const DataFields& fields) {
  return open_cases(data, std::make_unique<FieldForm>(fields), fields.wanted());
}

CaseFields::CaseFields(const DataFields& fields, const Case& input) : line_(input.fields) {
  if (line_ != nullptr) return;
  own_.emplace(fields.spellings());
  // What was read once can be read again.
  const Status parsed = own_->parse_copy(input.payload);
  assert(parsed.has_value());
  line_ = &*own_;
}

void erase_field(JsonObject& line, const DataField& field) {
  line.erase(field.name);
  for (const std::string& other : field.other_names) line.erase(other);
}

std::string text_of(const FieldValue& value) {
  return value.kind == FieldValue::Kind::text ? std::string(value.text) : std::string();
}

}  // namespace assay::components
