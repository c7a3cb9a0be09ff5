#include "evaluations/benchmark/run_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/yaml.h"

namespace assay::benchmark {
namespace {

constexpr std::size_t kMostBytes = 512'000'000;
// Larger trees are written as JSON text: the YAML reader bounds depth (100) and nodes (a million) of a whole
// file, and nobody reads such a tree line by line.
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostNodes = 5'000;
constexpr std::size_t kLongestKey = 500;  // the YAML reader takes no keys beyond 1,024

// In the order of the enum.
constexpr std::array<std::string_view, 4> kKinds = {"user_message", "assistant_message", "tool_call",
                                                    "error"};

// Whether a tree can be written as YAML that reads back as the same tree; counts down `nodes`.
bool readable(const Json& value, std::size_t depth, std::size_t& nodes) {
  if (nodes == 0 || depth > kDeepest) return false;
  if (value.is_uint64() && !as_integer(value)) return false;
  --nodes;
  if (const auto* list = value.if_array())
    return std::ranges::all_of(*list, [&](const Json& item) { return readable(item, depth + 1, nodes); });
  if (const auto* object = value.if_object()) {
    return std::ranges::all_of(*object, [&](const auto& member) {
      return member.key().size() <= kLongestKey && readable(member.value(), depth + 1, nodes);
    });
  }
  return true;
}
bool readable(const Json& value) {
  std::size_t nodes = kMostNodes;
  return readable(value, 0, nodes);
}

Json for_yaml(const Json& value) {
  return readable(value) ? value : Json(boost::json::string(to_text(value)));
}

// The tree that for_yaml had to write as text; any other value as it is.
Json from_yaml(const Json& value) {
  const auto text = as_text(value);
  if (!text || text->find_first_of("{[") != 0) return value;
  auto tree = parse_json(*text);
  if (!tree || readable(*tree)) return value;
  return std::move(*tree);
}

// --- reading -----------------------------------------------------------------------------------------------

class RunFileReader {
 public:
  explicit RunFileReader(YamlDocument document) : document_(std::move(document)) {}

  Result<RunFile> read(RunForm form) {
    file_.form = form;
    if (document_.value.is_null()) return std::move(file_);
    const auto* root = document_.value.if_object();
    if (root == nullptr) return fail(wrong("", document_.value, "keys with values"));
    for (const auto& [key, value] : *root) {
      if (auto done = read_key(key, value); !done) return fail(std::move(done.error()));
    }
    const auto has = [&](std::string_view key) { return root->contains(key); };
    if (form == RunForm::conversation && !has("conversation"))
      return fail(misfit("", "`conversation` is missing: is this the output of a tool calling system?"));
    if (form == RunForm::promptql && !has("output") && !has("error") && !has("answer"))
      return fail(misfit("", "`output`, `error` and `answer` are missing: is this the output of PromptQL?"));
    return std::move(file_);
  }

 private:
  Status read_key(std::string_view key, const Json& value) {
    const std::string pointer = "/" + std::string(key);
    if (file_.form == RunForm::conversation && key == "conversation") return read_conversation(value);
    if (file_.form == RunForm::promptql && key == "output") {
      file_.output = from_yaml(value);
    } else if (file_.form == RunForm::promptql && key == "proposed") {
      file_.proposed = from_yaml(value);
    } else if (file_.form == RunForm::promptql && key == "error") {
      if (!value.is_null() && !text_or_json(value).empty()) file_.error = text_or_json(value);
    } else if (key == "answer") {
      file_.answer = from_yaml(value);
    } else if (key == "usage") {
      if (!value.is_object() && !value.is_null()) return fail(wrong(pointer, value, "keys with numbers"));
      file_.usage = value;
    } else if (key == "refused") {
      if (!value.is_bool()) return fail(wrong(pointer, value, "true or false"));
      file_.refused = value.get_bool();
    } else if (key == "limit_hit") {
      return read_cut_off(value, pointer);
    } else if (key == "asked") {
      return read_asked(value, pointer);
    } else if (key == "answer_error" || key == "answer_notes" || key == "score" || key == "score_details" ||
               key == "scorer" || key == "seconds" || key == "nudges") {
      if (!value.is_null()) return read_figure(key, value, pointer);
    } else {
      file_.other.emplace(key, value);
    }
    return {};
  }

  Status read_figure(std::string_view key, const Json& value, const std::string& pointer) {
    if (key == "answer_error" || key == "scorer") {
      if (!value.is_string()) return fail(wrong(pointer, value, "text"));
      (key == "scorer" ? file_.scorer : file_.answer_error) = *as_text(value);
    } else if (key == "answer_notes") {
      const auto* list = value.if_array();
      if (list == nullptr || !std::ranges::all_of(*list, [](const Json& note) { return note.is_string(); }))
        return fail(wrong(pointer, value, "a list of texts"));
      for (const Json& note : *list) file_.answer_notes.emplace_back(*as_text(note));
    } else if (key == "score_details") {
      if (!value.is_object()) return fail(wrong(pointer, value, "keys with values"));
      file_.score_details = value.get_object();
    } else if (key == "nudges") {
      const auto count = as_integer(value);
      if (!count || *count < 0) return fail(wrong(pointer, value, "a whole number of at least 0"));
      file_.nudges = *count;
    } else {
      const auto number = as_number(value);
      if (!number) return fail(wrong(pointer, value, "a number"));
      (key == "score" ? file_.score : file_.seconds) = number;
    }
    return {};
  }

  Status read_cut_off(const Json& value, const std::string& pointer) {
    if (value.is_null() || (value.is_bool() && !value.get_bool())) return {};
    const auto limit = as_integer(value);
    if (!value.is_bool() && !limit)
      return fail(wrong(pointer, value, "a number of tokens, or true or false"));
    file_.cut_off = CutOff{limit};
    return {};
  }

  Status read_asked(const Json& value, const std::string& pointer) {
    if (value.is_null()) return {};
    const auto* names = value.if_object();
    if (names == nullptr) return fail(wrong(pointer, value, "names with texts"));
    for (const auto& [name, print] : *names) file_.asked.insert_or_assign(name, text_or_json(print));
    return {};
  }

  Status read_conversation(const Json& value) {
    if (value.is_null()) return {};
    const auto* list = value.if_array();
    if (list == nullptr) return fail(wrong("/conversation", value, "a list"));
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto entry = read_entry((*list)[i], fmt::format("/conversation/{}", i), i);
      if (!entry) return fail(std::move(entry.error()));
      // Results are told apart by the ids of their calls.
      while (entry->kind == Entry::Kind::tool_call && !ids_.insert(entry->call.id).second)
        entry->call.id += "_";
      file_.conversation.push_back(std::move(*entry));
    }
    return {};
  }

  Result<Entry> read_entry(const Json& value, const std::string& pointer, std::size_t index) const {
    constexpr const char* kExpected = "one of user_message, assistant_message, tool_call or error";
    const auto* object = value.if_object();
    if (object == nullptr || object->size() != 1) return fail(wrong(pointer, value, kExpected));
    const std::string_view key = object->begin()->key();
    const Json& content = object->begin()->value();
    const std::string below = pointer + "/" + std::string(key);
    const auto* kind = std::ranges::find(kKinds, key);
    if (kind == kKinds.end())
      return fail(misfit(below, fmt::format("found the key {}, expected {}", excerpt(key), kExpected)));
    Entry entry;
    entry.kind = static_cast<Entry::Kind>(kind - kKinds.begin());
    if (entry.kind == Entry::Kind::tool_call) {
      auto call = read_call(content, below, index);
      if (!call) return fail(std::move(call.error()));
      entry.call = std::move(*call);
      return entry;
    }
    if (!content.is_string() && entry.kind != Entry::Kind::error) return fail(wrong(below, content, "text"));
    entry.text = text_or_json(content);
    return entry;
  }

  Result<CallRecord> read_call(const Json& value, const std::string& pointer, std::size_t index) const {
    const auto* object = value.if_object();
    if (object == nullptr) return fail(wrong(pointer, value, "id, name, params and result"));
    CallRecord call;
    for (const auto& [key, item] : *object) {
      const std::string below = pointer + "/" + std::string(key);
      if (key == "id") {
        if (item.is_structured()) return fail(wrong(below, item, "text"));
        if (!item.is_null()) call.id = text_or_json(item);
      } else if (key == "name") {
        if (!item.is_string()) return fail(wrong(below, item, "the name of a tool"));
        call.name = *as_text(item);
      } else if (key == "params") {
        call.params = from_yaml(item);
      } else if (key == "result") {
        if (!item.is_null()) call.result = from_yaml(item);
      } else if (key == "turn") {
        if (item.is_null()) continue;
        call.turn = as_integer(item);
        if (!call.turn) return fail(wrong(below, item, "a whole number"));
      } else {
        return fail(misfit(
            below, fmt::format("found the key {}, expected id, name, params, result or turn", excerpt(key))));
      }
    }
    // A model may call a tool without a name; a person who forgets the key is told.
    if (!object->contains("name")) return fail(misfit(pointer, "the tool call has no `name`"));
    if (call.params.is_null()) call.params = JsonObject{};
    if (call.id.empty()) call.id = fmt::format("call_{}", index);
    return call;
  }

  static std::string excerpt(std::string_view key) { return assay::excerpt(Json(boost::json::string(key))); }

  Error wrong(const std::string& pointer, const Json& found, std::string_view expected) const {
    const std::string shown = found.is_null() ? std::string("nothing") : assay::excerpt(found);
    return misfit(pointer, fmt::format("found {}, expected {}", shown, expected));
  }

  Error misfit(const std::string& pointer, std::string message) const {
    Error error{ErrorKind::data, std::move(message), {}};
    std::string at = pointer;
    while (document_.position(at).line == 0 && !at.empty()) at.resize(at.rfind('/'));
    const YamlPosition position = document_.position(at);
    if (position.line > 0) {
      error.context = {{"line", std::to_string(position.line)}, {"column", std::to_string(position.column)}};
    }
    if (!pointer.empty()) error.context.emplace_back("field", pointer.substr(1));
    return error;
  }

  YamlDocument document_;
  RunFile file_;
  std::set<std::string> ids_;
};

// --- writing -----------------------------------------------------------------------------------------------

Json entry_json(const Entry& entry) {
  const std::string_view kind = to_string(entry.kind);
  if (entry.kind != Entry::Kind::tool_call) return JsonObject{{kind, repair_utf8(entry.text)}};
  JsonObject call = {
      {"id", entry.call.id}, {"name", entry.call.name}, {"params", for_yaml(entry.call.params)}};
  if (entry.call.result)
    call["result"] = entry.call.result->is_null() ? Json("null") : for_yaml(*entry.call.result);
  if (entry.call.turn) call["turn"] = *entry.call.turn;
  return JsonObject{{kind, std::move(call)}};
}

}  // namespace

std::string_view to_string(Entry::Kind kind) {
  return kKinds.at(static_cast<std::size_t>(kind));
}

Result<RunFile> read_run_file(std::string_view text, RunForm form) {
  if (text.size() > kMostBytes) {
    return fail(ErrorKind::data, fmt::format("found {} bytes, expected at most {}", text.size(), kMostBytes));
  }
  auto document = parse_yaml(text);
  if (!document) return fail(std::move(document.error()));
  return RunFileReader(std::move(*document)).read(form);
}

std::string to_yaml(const RunFile& file) {
  JsonObject root;
  if (file.form == RunForm::promptql) {
    if (!file.output.is_null()) root["output"] = for_yaml(file.output);
    if (!file.proposed.is_null()) root["proposed"] = for_yaml(file.proposed);
    if (file.error) root["error"] = *file.error;
    if (root.empty() && !file.answer) root["output"] = nullptr;
  } else {
    JsonArray conversation;
    for (const Entry& entry : file.conversation) conversation.push_back(entry_json(entry));
    root["conversation"] = std::move(conversation);
  }
  if (file.answer) root["answer"] = for_yaml(*file.answer);
  if (!file.answer_error.empty()) root["answer_error"] = file.answer_error;
  if (!file.answer_notes.empty())
    root["answer_notes"] = JsonArray(file.answer_notes.begin(), file.answer_notes.end());
  if (file.score) root["score"] = *file.score;
  if (!file.scorer.empty()) root["scorer"] = file.scorer;
  if (!file.score_details.empty()) root["score_details"] = file.score_details;
  if (file.refused) root["refused"] = true;
  if (file.cut_off)
    root["limit_hit"] = file.cut_off->max_tokens ? Json(*file.cut_off->max_tokens) : Json(true);
  if (file.form == RunForm::conversation || file.nudges > 0) root["nudges"] = file.nudges;
  if (!file.usage.is_null()) root["usage"] = file.usage;
  if (file.seconds) root["seconds"] = *file.seconds;
  if (!file.asked.empty()) {
    JsonObject asked;
    for (const auto& [name, print] : file.asked) asked[name] = print;
    root["asked"] = std::move(asked);
  }
  for (const auto& [key, value] : file.other) root.emplace(key, value);
  return assay::to_yaml(Json(std::move(root)));
}

}  // namespace assay::benchmark
