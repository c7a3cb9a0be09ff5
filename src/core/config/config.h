// Configuration keys are declared once, in tables of Key. The declaration gives the YAML key, the flag
// (`--input-path` for `input_path`, `--judge.model` for a nested one), the check, the default, the help text
// and the reference page. Reading a configuration reports every problem at once, each with its place.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/plan_texts.h"
#include "core/yaml.h"

namespace assay {

// Before the path of a file_or_value that is a file.
inline constexpr std::string_view kFileMark = "file:";

enum class KeyType {
  text,
  boolean,
  integer,
  number,
  duration,   // "30s"; kept as text, read with Config::duration
  path,       // a relative one is looked up beside the config file, then in the working directory
  text_list,  // one text is a list of one; the flag may be repeated
  path_list,  // the same for paths
  command,    // a program and its arguments; a program with a slash in its name is such a path, and so is an
              // argument that names a file beside the config
  database,   // "sqlite:PATH" with such a path, or "postgres://…"
  file_or_value,  // a text that names a file beside the config, or begins with "file:", becomes "file:PATH";
                  // anything else is the value itself (Config::given_text, Config::given_tree)
  object,         // `keys` inside; with `shorthand`, a plain text stands for that key
  object_map,     // names of the user's own, each an object with `keys` (or a text, with `shorthand`)
  object_list,    // a list of objects with `keys`; one alone is a list of one, and the flag may be repeated;
                  // with `shorthand`, a plain text is an object with that key
  any,            // free form
};

// What a key's value has a say in: what is answered (then a run cannot be resumed with another), which cases
// are taken, or only where a run is written, how fast it goes and what it may cost.
enum class Decides { answers, cases, nothing };

// When `${NAME}` in a key's texts is filled from the environment: as the config is read, or where the value
// is used, so that it stands nowhere else (headers, variables of programs, addresses with passwords).
// `openly`: as the config is read, into something that every user of the machine can look at (the arguments
// of a program): a variable with a telling name is refused there. So it is in every key of type command.
enum class Fills { when_read, when_used, openly };
// Whether a path may name what can be read once only (`-`, a FIFO): a run then copies it first.
enum class Pipe { refused, copied };

struct Key {
  std::string name;
  KeyType type = KeyType::text;
  std::string help;
  Json default_value = nullptr;  // null: none
  bool required = false;
  std::vector<std::string> choices = {};  // text and text_list
  std::optional<double> minimum = {};     // integer and number
  std::optional<double> maximum = {};
  std::vector<Key> keys = {};          // object, object_map, object_list
  std::string shorthand = {};          // object, object_map and object_list
  std::string example = {};            // shown in the reference page
  std::string flag = {};               // another spelling of the flag, e.g. "gate" for `gates`
  Decides decides = Decides::answers;  // of a key at the top
  Fills fills = Fills::when_read;
  Pipe pipe = Pipe::refused;
};
using Keys = std::vector<Key>;

std::string_view type_word(KeyType type);
// "a whole number of at least 1", "one of a, b": what a message says was expected.
std::string expected_words(const Key& key);

struct ConfigProblem {
  std::string where;  // "eval.yaml, line 3, column 5" or "--input-path"
  std::string key;    // dotted path
  std::string text;   // "found 3, expected text"
};

// One flag of the command line that sets a config key.
struct FlagValue {
  std::string name;  // without dashes, as written: "input-path", "no-generate"
  std::optional<std::string> value;
};

// A checked configuration: every declared key with a value or default is there, and nothing else.
class Config {
 public:
  Config() = default;
  explicit Config(JsonObject values, std::vector<std::string> free = {})
      : values_(std::move(values)), free_(std::move(free)) {}

  // The same plan, with other values.
  Config with(JsonObject values) const {
    Config other = *this;
    other.values_ = std::move(values);
    return other;
  }

  bool has(std::string_view path) const { return find(path) != nullptr; }
  // Dotted path. Absent or null: the empty value. A wrong type cannot be: it was checked.
  std::string text(std::string_view path) const;
  bool boolean(std::string_view path) const;
  std::optional<std::int64_t> integer(std::string_view path) const;
  std::optional<double> number(std::string_view path) const;
  std::chrono::nanoseconds duration(std::string_view path) const;
  std::vector<std::string> texts(std::string_view path) const;
  const Json* find(std::string_view path) const;  // null if absent or null
  const JsonObject& values() const { return values_; }
  // A file that a key names and that an evaluation is made of; it is then part of the plan (plan_texts()).
  Result<std::string> read_text(const std::string& path) const { return texts_->read(path); }
  // What is made of a file that the run does not keep, where that file is: PlanTexts::made().
  Result<std::string> made(const std::string& name, const std::function<Result<std::string>()>& make) const {
    return texts_->made(name, make);
  }
  const PlanTexts& plan_texts() const { return *texts_; }
  // What a key of type file_or_value gives: the text, or what stands in its file.
  Result<std::string> given_text(const Json& value) const;
  // The same as a tree: the value itself, or its file as JSON or YAML.
  Result<Json> given_tree(const Json& value) const;
  // From now on read_text() gives what was kept, and nothing else.
  void use_texts(PlanTexts kept) { texts_ = std::make_shared<PlanTexts>(std::move(kept)); }
  // The values of those keys at the top that decide answers, as they were declared. What was filled from a
  // variable with a telling name (API_KEY) has a fingerprint in its place.
  JsonObject deciding() const;

  // The values as they were written, with `${NAME}` where something was filled from the environment.
  const JsonObject& written() const { return filled_ ? filled_->written : values_; }
  // What was filled from variables with telling names: to be sent, never shown.
  std::vector<std::string> filled_secrets() const;
  // A text for readers: with [hidden] in the place of those.
  std::string shown_text(std::string_view path) const;
  struct FilledValues {
    JsonObject written;
    std::map<std::string, std::string> variables;  // that were filled
  };
  void note_filled(FilledValues filled) { filled_ = std::make_shared<const FilledValues>(std::move(filled)); }

 private:
  JsonObject values_;
  std::shared_ptr<const FilledValues> filled_;  // null: nothing was
  std::vector<std::string> free_;               // keys that decide no answers
  // Shared by copies: what one of them has read belongs to the plan of all.
  std::shared_ptr<PlanTexts> texts_ = std::make_shared<PlanTexts>();
};

struct ConfigSource {
  std::string file;       // for messages and relative paths; empty if there is none
  YamlDocument document;  // its content; null value if there is none
  std::vector<FlagValue> flags;
  Environment environment = {};  // fills `${NAME}`; empty: texts stay as they are written
};

// Where a key (`metrics[2].contains`) was set, as near as it can be told: by a flag ("--judge.model"), at a
// place in the file ("eval.yaml, line 3, column 5"), in the file, or on the command line.
std::string place_of(const ConfigSource& source, std::string_view key);

struct ResolvedConfig {
  Config config;
  std::vector<ConfigProblem> problems;  // empty: the config is good
};

// Where a variable with a telling name (API_TOKEN) is written into what others can look at (Fills::openly).
std::vector<ConfigProblem> open_secrets(const Keys& keys, const ConfigSource& source,
                                        const JsonObject& written);

// A flag beats the file. Never stops at the first problem.
ResolvedConfig resolve_config(const Keys& keys, const ConfigSource& source);

// "limits.concurrency" → the key; null if there is none.
const Key* find_key(const Keys& keys, std::string_view path);
// Whether the flag takes a value ("--generate" and "--no-generate" do not). Empty if no key has that flag.
enum class FlagForm { takes_value, stands_alone };
std::optional<FlagForm> flag_form(const Keys& keys, std::string_view flag);
// All flags that the keys give, for help and shell completion: "input-path", "judge.model", …
std::vector<std::string> flag_names(const Keys& keys);
// "  --input-path PATH   …help… (default …)" lines for a terminal.
std::string help_text(const Keys& keys, int width);
// A Markdown table of the keys, for docs/.
std::string reference_markdown(const Keys& keys);

}  // namespace assay
