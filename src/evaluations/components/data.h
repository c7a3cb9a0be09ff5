// The data of the component evaluations: fields are declared with their types and all their spellings,
// and every line is checked against the declaration. A line with a problem is passed over and told
// completely.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/jsonl.h"
#include "engine/work.h"
#include "evaluations/data/data_file.h"
#include "evaluations/data/unread_keys.h"

namespace assay::components {

// `text_or_object`: a text, or an object that the field's `check` reads.
enum class FieldType { text, boolean, number, text_or_object, any };
enum class Presence { required, optional };

struct DataField {
  std::string name;
  FieldType type = FieldType::text;
  Presence presence = Presence::required;
  std::vector<std::string> other_names = {};  // older or newer spellings
  bool nullable = false;
  std::string meaning = {};   // one line for help
  std::string expected = {};  // what FieldType::any means here, in words
  bool answer_key = false;    // an input field that the target must not see: what is expected of it
  // An actual field beside what is scored: if a target's value cannot be used it is missing, and the rest of
  // the reply counts.
  bool secondary = false;
  // Checks what the type cannot say; gives the problem in words, "" if there is none.
  std::function<std::string(const Json&)> check = {};
  // Counts the keys inside the value that nothing reads; they are told once for all the data.
  std::function<void(const Json&, KeyCounts&)> unread = {};
};

// What the field holds, in words: "text", "true or false".
std::string_view type_words(const DataField& field);
// Why the value is not what the field declares, in words; "" if it is. Null is no value.
std::string value_problem(const DataField& field, const Json& value);

class DataFields;
// Problems between the fields of a line, in words; called when each field is good by itself.
using LineCheck = std::function<std::vector<std::string>(const DataFields& fields, const LineParser& line)>;

// A declaration and the way to a line's values by the position of their field in it.
class DataFields {
 public:
  // `cluster` names the field that says which cases belong together, declared or not; "" if there is none.
  explicit DataFields(std::vector<DataField> fields, LineCheck check = {}, const std::string& cluster = "");

  const std::vector<DataField>& fields() const { return fields_; }
  // Whether the declaration reaches to this position: actual fields may not be there yet, and the cluster's
  // field stands behind the declared ones.
  bool declares(std::size_t field) const { return field < declared_; }
  // Every spelling, "id" first: what a LineParser is to look for.
  const std::vector<std::string>& spellings() const { return spellings_; }

  // The value of a field under whichever spelling the line uses.
  const FieldValue& value(const LineParser& line, std::size_t field) const;
  Json tree(const LineParser& line, std::size_t field) const;
  // The declared fields that are there, under their own names, as an object.
  JsonObject present(const LineParser& line) const;

  // The line's cluster, written into `number` if it is one; "" if none is declared.
  std::string_view cluster(const LineParser& line, std::string& number) const;

  // What a cell of a table is read as.
  WantedFields wanted() const;
  // Every problem of a line, in words with the field's name; empty if it is good.
  std::vector<std::string> problems(const LineParser& line) const;

 private:
  std::size_t spelling_of(const LineParser& line, std::size_t field) const;
  std::vector<DataField> fields_;
  std::size_t declared_;  // of them; the cluster's may come after
  LineCheck check_;
  std::optional<std::size_t> cluster_;  // position in fields_
  std::vector<std::string> spellings_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // of each field in spellings_
};

// `fields` must outlive the source.
Result<std::unique_ptr<CaseSource>> open_data(const DataFile& data, const DataFields& fields);

// The fields of a case: as its source has parsed them, or parsed here if it has travelled.
class CaseFields {
 public:
  CaseFields(const DataFields& fields, const Case& input);
  CaseFields(const CaseFields&) = delete;
  CaseFields& operator=(const CaseFields&) = delete;
  const LineParser& operator*() const { return *line_; }

 private:
  const LineParser* line_;
  std::optional<LineParser> own_;
};

// Takes the field away under all its spellings.
void erase_field(JsonObject& line, const DataField& field);

// A text field's value as text; "" if absent or null.
std::string text_of(const FieldValue& value);

}  // namespace assay::components
