// Checks the values of one source (a file, its flags) against the declared keys, and collects every problem
// with its place. Texts are filled from the environment on the way, and paths resolved.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/config/named_files.h"
#include "core/config/variables.h"

namespace assay {

// Where a value stands: its key, and its place in the file or the flag that gave it.
struct ValuePlace {
  std::string path = {};     // dotted: "judge.model", "metrics[2].name"
  std::string pointer = {};  // in the file's document
  std::string flag = {};     // empty: in the file

  ValuePlace key(std::string_view name) const;
  ValuePlace item(std::size_t index) const;
  StoodIn stood() const { return flag.empty() ? StoodIn::file : StoodIn::flag; }
};

class ConfigChecker {
 public:
  // Gives values as they are, or as they were written: with `${NAME}` where something was filled.
  enum class Gives { values, written };
  ConfigChecker(const ConfigSource& source, std::vector<ConfigProblem>& problems, Gives gives = Gives::values)
      : source_(source), problems_(problems), gives_(gives), files_(source), variables_(source.environment) {}

  // The good values; null where one is wrong, which is not missing as well.
  JsonObject check_object(const Keys& keys, const Json& found, const ValuePlace& at);
  // Empty: the value is wrong, which has been told.
  std::optional<Json> check_value(const Key& key, const Json& value, const ValuePlace& at);
  void tell(const ValuePlace& at, std::string text);

  // The variables that were filled in, and whether there were any.
  const std::map<std::string, std::string>& variables() const { return variables_.used(); }
  bool has_filled() const { return has_filled_; }

 private:
  std::optional<Json> check_filled(const Key& key, const Json& value, const ValuePlace& at);
  std::optional<Json> check_list(const Key& key, const Json& value, const ValuePlace& at);
  std::optional<Json> check_map(const Key& key, const Json& value, const ValuePlace& at);
  std::optional<Json> check_texts(const Key& key, const Json& value, const ValuePlace& at);
  std::optional<Json> wrong(const Key& key, const Json& value, const ValuePlace& at);
  // The value, or its error told.
  std::optional<Json> told(Result<std::string> text, const ValuePlace& at);
  void tell_unknown(const Keys& keys, std::string_view name, const ValuePlace& at);
  Json written_form(const Key& key, const Json& value, const Json& filled, StoodIn stood) const;

  const ConfigSource& source_;
  std::vector<ConfigProblem>& problems_;
  Gives gives_;
  NamedFiles files_;
  ConfigVariables variables_;
  bool has_filled_ = false;
};

}  // namespace assay
