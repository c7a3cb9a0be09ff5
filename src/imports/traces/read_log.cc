#include "imports/traces/read_log.h"

#include <unordered_set>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "imports/traces/otel.h"

namespace assay {
namespace {

class LogReader {
 public:
  LogReader(LogForm form, const std::function<void(const JsonObject&)>& keep) : form_(form), keep_(keep) {}

  void take(std::uint64_t number, const Json& entry) {
    if (form_ == LogForm::otel) {
      if (auto added = traces_.add(entry); !added) out_.bad.push_back({number, added.error().message});
      return;
    }
    // A list of conversations; one that is a list of messages is a conversation itself.
    const JsonArray* list = entry.if_array();
    if (list != nullptr && !list->empty() && find_member(list->front(), "role") == nullptr) {
      for (std::size_t i = 0; i < list->size(); ++i) take_conversation(number + i, (*list)[i]);
      return;
    }
    take_conversation(number, entry);
  }

  void bad(std::uint64_t number, std::string why) { out_.bad.push_back({number, std::move(why)}); }

  LogRead finish() {
    if (form_ == LogForm::otel) {
      std::uint64_t number = 0;
      for (const Conversation& conversation : traces_.conversations()) {
        ++number;
        add(number, conversation, fmt::format("trace {}: ", conversation.id));
      }
      out_.traces_without_model = traces_.without_model();
    }
    return std::move(out_);
  }

 private:
  void take_conversation(std::uint64_t number, const Json& entry) {
    const auto conversation =
        form_ == LogForm::openai ? openai_conversation(entry) : anthropic_conversation(entry);
    if (!conversation) {
      bad(number, conversation.error().message);
      return;
    }
    add(number, *conversation, "");
  }

  void add(std::uint64_t number, const Conversation& conversation, const std::string& head) {
    auto made = case_of(conversation, fmt::format("{}", number));
    if (!made) {
      bad(number, head + made.error().message);
      return;
    }
    const std::string id = text_at(*made, "id");
    std::string own = id;
    for (int i = 2; !ids_.insert(own).second; ++i) own = fmt::format("{}-{}", id, i);
    (*made)["id"] = own;
    keep_(*made);
    ++out_.cases;
  }

  LogForm form_;
  const std::function<void(const JsonObject&)>& keep_;
  OtelTraces traces_;
  std::unordered_set<std::string> ids_;
  LogRead out_;
};

}  // namespace

Result<LogRead> read_log(const std::string& path, LogForm form,
                         const std::function<void(const JsonObject&)>& keep) {
  auto lines = LineReader::open(path);
  if (!lines) return fail(std::move(lines.error()));
  LogReader reader(form, keep);
  bool first = true;
  while (true) {
    auto line = lines->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return reader.finish();
    const auto value = parse_json((*line)->text);
    if (value) {
      reader.take((*line)->number, *value);
    } else if (const char begin = (*line)->text.front(); first && (begin == '[' || begin == '{')) {
      // A document over several lines.
      const auto text = read_file(path);
      if (!text) return fail(text.error());
      if (const auto whole = parse_json(*text)) {
        reader.take(1, *whole);
        return reader.finish();
      }
      reader.bad((*line)->number, not_json_words(**line, value.error()));
    } else {
      reader.bad((*line)->number, not_json_words(**line, value.error()));
    }
    first = false;
  }
}

}  // namespace assay
