// The output file of one run of a task: what was said and done, and what came of it. The file is the state of
// the run: it is written after every turn, a person may edit it, and the next run goes on from what it says
// (resume.h). Pure: text in, value out, and back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::benchmark {

// Which of the two shapes a file has.
enum class RunForm { promptql, conversation };

struct CallRecord {
  std::string id;
  std::string name;
  Json params;                       // text if the model's arguments were not JSON
  std::optional<Json> result;        // nothing: not run yet, or its end was not seen
  std::optional<std::int64_t> turn;  // calls of one turn were made side by side
};

struct Entry {
  enum class Kind { user_message, assistant_message, tool_call, error };
  Kind kind = Kind::user_message;
  std::string text;  // of messages and errors
  CallRecord call;

  static Entry user(std::string text) { return {Kind::user_message, std::move(text), {}}; }
  static Entry assistant(std::string text) { return {Kind::assistant_message, std::move(text), {}}; }
  static Entry tool_call(CallRecord call) { return {Kind::tool_call, {}, std::move(call)}; }
  static Entry error(std::string text) { return {Kind::error, std::move(text), {}}; }
};
std::string_view to_string(Entry::Kind kind);

// What decides an answer, by name ("prompt", "system_prompt", "model"): texts by their fingerprints.
using Asked = std::map<std::string, std::string>;

// The model's last message ends where its tokens did.
struct CutOff {
  std::optional<std::int64_t> max_tokens;  // the limit that was in force; nothing: the model's own
};

struct RunFile {
  RunForm form = RunForm::conversation;
  Json output;                       // promptql: the reply; null if there is none
  Json proposed;                     // promptql: an earlier reply that only proposed a plan; null if none did
  std::optional<std::string> error;  // promptql
  std::vector<Entry> conversation;   // conversation
  std::optional<Json> answer;        // nothing: none was found; null is an answer
  std::string answer_error;          // why there is none
  std::vector<std::string> answer_notes;
  std::optional<double> score;
  std::string scorer;  // what the score was made by; "" if there is none
  JsonObject score_details;
  Json usage;  // as given; null if there is none
  std::optional<double> seconds;
  std::int64_t nudges = 0;
  bool refused = false;           // the model's last words are a refusal
  std::optional<CutOff> cut_off;  // they end at the token limit, and no answer is in them
  Asked asked;                    // what the program has asked; empty: a person made the file
  JsonObject other;               // keys that a person added; kept and written last
};

// A text of nothing (or comments only) is a run that has not begun. Otherwise a conversation file must have
// `conversation`, and a PromptQL file `output`, `error` or `answer`, so that a misspelt key never looks like
// a fresh start. Errors name file-independent places: kind parse with line and column if it is not YAML, kind
// data with line, column and field if it is, but not such a file. A result that is null counts as none; a
// call without id, or with one that is taken, gets one; an error that is not text is kept as its JSON.
Result<RunFile> read_run_file(std::string_view text, RunForm form);

// YAML for people: keys in a fixed order, texts of several lines as blocks, absent things left out. Reads
// back as the same value, but for a result that is null, which becomes the text "null": a model sees the
// same. A tree that YAML would not give back (very deep or large, whole numbers of 64 bits without sign) is
// written as its JSON text and read back as the tree.
std::string to_yaml(const RunFile& file);

}  // namespace assay::benchmark
