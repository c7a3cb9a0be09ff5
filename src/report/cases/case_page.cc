#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/visible.h"
#include "core/yaml.h"
#include "report/cases/case_view.h"
#include "report/words.h"

namespace assay {
namespace {

// What a model was asked, and so what an effect of that kind looks like.
constexpr std::string_view kModelKind = "model";

class Page {
 public:
  explicit Page(const TerminalStyle& style) : style_(style), paint_(style.colour) {}

  void heading(const std::string& text) {
    if (!out_.empty()) out_ += "\n";
    for (const std::string& line : wrapped(visible(text), style_.width)) out_ += paint_.bold(line) + "\n";
  }
  void note(std::string_view text, std::size_t indent) {
    for (const std::string& line : wrapped(text, width(indent)))
      out_ += space(indent) + paint_.faint(line) + "\n";
  }
  void text(std::string_view text, std::size_t indent) {
    for (const std::string& line : wrapped(text, width(indent)))
      out_ += (line.empty() ? line : space(indent) + line) + "\n";
  }
  // "name: value" on one line where it is short, else the value below.
  void field(std::string_view name, const Json& value, std::size_t indent) {
    const std::string shown = words_of(value);
    const std::string label = visible(name) + ":";
    const bool one_line = shown.find('\n') == std::string::npos &&
                          display_width(label) + 1 + display_width(shown) + indent <= style_.width;
    if (one_line) {
      text(fmt::format("{} {}", label, shown), indent);
      return;
    }
    out_ += space(indent) + paint_.faint(label) + "\n";
    text(shown, indent + 2);
  }
  void raw(std::string_view text) { out_ += text; }
  const Paint& paint() const { return paint_; }
  const TerminalStyle& style() const { return style_; }
  std::string take() { return std::move(out_); }

  // A text as it is, a list or an object as YAML.
  static std::string words_of(const Json& value) {
    if (value.is_string()) return std::string(value.get_string());
    if (value.is_object() && !value.get_object().empty()) return to_yaml(value);
    if (value.is_array() && !value.get_array().empty()) return to_yaml(value);
    return to_text(value);
  }

 private:
  static std::string space(std::size_t indent) { return std::string(indent, ' '); }
  std::size_t width(std::size_t indent) const { return style_.width > indent ? style_.width - indent : 0; }

  TerminalStyle style_;
  Paint paint_;
  std::string out_;
};

std::string tokens_words(const EffectView& effect) {
  if (effect.prompt_tokens == 0 && effect.completion_tokens == 0) return "";
  std::string words = fmt::format(" · {} tokens in", count_words(effect.prompt_tokens));
  if (effect.cached_tokens > 0) words += fmt::format(" ({} cached)", count_words(effect.cached_tokens));
  words += fmt::format(", {} out", count_words(effect.completion_tokens));
  if (effect.reasoning_tokens > 0)
    words += fmt::format(" ({} of reasoning)", count_words(effect.reasoning_tokens));
  return words;
}

// "2. judge/verdicts, attempt 2 · openai/gpt-4o · 320 tokens in, 41 out · 812 ms · $0.0012 · 3 tries"
std::string effect_words(std::size_t number, const EffectView& effect) {
  std::string words = fmt::format("{}. {}", number, effect.step);
  if (effect.attempt > 1) words += fmt::format(", attempt {}", effect.attempt);
  const std::string asked = text_at(effect.request, "model");
  if (effect.kind != kModelKind) {
    words += fmt::format(" · {}", effect.kind);
  } else if (!asked.empty()) {
    words += fmt::format(" · {}", asked);
  }
  if (!effect.model.empty() && asked.find(effect.model) == std::string::npos)
    words += fmt::format(" ({})", effect.model);
  words += tokens_words(effect);
  words += fmt::format(" · {:.0f} ms", effect.latency_ms);
  if (effect.cost_usd && *effect.cost_usd > 0) words += fmt::format(" · {}", cost_words(effect.cost_usd));
  if (effect.tries > 1) words += fmt::format(" · {} tries", effect.tries);
  if (effect.reused) words += " · taken from an earlier run or the cache";
  return words;
}

void append_calls(Page& page, const Json& message) {
  for (const Json& call : list_at(message, "tool_calls")) {
    const Json* arguments = find_member(call, "arguments");
    page.text(fmt::format("calls {}({})", text_at(call, "name"),
                          arguments != nullptr ? to_text(*arguments) : text_at(call, "arguments_text")),
              4);
  }
}

void append_message(Page& page, const Json& message) {
  const std::string role = text_at(message, "role");
  const bool failed = find_member(message, "is_error") != nullptr;
  page.note(fmt::format("{}{}", role.empty() ? "message" : role, failed ? ", an error" : ""), 2);
  if (const std::string text = text_at(message, "text"); !text.empty()) page.text(text, 4);
  append_calls(page, message);
}

std::size_t same_at_front(const JsonArray& one, const JsonArray& other) {
  const std::size_t most = std::min(one.size(), other.size());
  std::size_t same = 0;
  while (same < most && one[same] == other[same]) ++same;
  return same;
}

// A conversation grows from request to request: what an earlier one has said is not said again.
constexpr std::size_t kWorthLeavingOut = 2;

void append_request(Page& page, const std::vector<EffectView>& effects, std::size_t at) {
  const Json& request = effects[at].request;
  const JsonArray& messages = list_at(request, "messages");
  if (effects[at].kind != kModelKind || messages.empty()) {
    page.note("request", 2);
    page.text(Page::words_of(request), 4);
    return;
  }
  std::size_t known = 0;
  std::size_t known_from = 0;
  for (std::size_t i = 0; i < at; ++i) {
    const std::size_t same = same_at_front(messages, list_at(effects[i].request, "messages"));
    if (same > known) {
      known = same;
      known_from = i;
    }
  }
  if (known < kWorthLeavingOut || known == messages.size()) known = 0;
  if (known > 0) page.note(fmt::format("({} messages as in {}.)", known, known_from + 1), 2);
  for (std::size_t i = known; i < messages.size(); ++i) append_message(page, messages[i]);
  std::vector<std::string> asked_for;
  if (const Json* output = find_member(request, "output"))
    asked_for.push_back(fmt::format("JSON by the schema {}", text_at(*output, "name")));
  for (const Json& tool : list_at(request, "tools"))
    asked_for.push_back(fmt::format("tool {}", text_at(tool, "name")));
  if (const Json* sampling = find_member(request, "sampling"); sampling != nullptr && sampling->is_object()) {
    for (const auto& [name, value] : sampling->get_object())
      asked_for.push_back(fmt::format("{} {}", std::string_view(name), text_or_json(value)));
  }
  if (!asked_for.empty()) page.note(fmt::format("asked for: {}", join(asked_for, ", ")), 2);
}

// What a model says is mostly JSON on one line.
std::string readable(const std::string& text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return text;
  const auto tree = parse_json(text);
  return tree ? pretty_text(*tree) : text;
}

void append_reply(Page& page, const EffectView& effect) {
  const Json* message = effect.kind == kModelKind ? find_member(effect.reply, "message") : nullptr;
  if (message == nullptr) {
    page.note("reply", 2);
    page.text(Page::words_of(effect.reply), 4);
    return;
  }
  const std::string finish = text_at(effect.reply, "finish");
  page.note(finish.empty() || finish == "stop" ? "reply" : fmt::format("reply, ended by {}", finish), 2);
  if (const std::string reasoning = text_at(*message, "reasoning"); !reasoning.empty()) {
    page.note("reasoning", 4);
    page.text(reasoning, 6);
  }
  if (const std::string text = text_at(*message, "text"); !text.empty()) page.text(readable(text), 4);
  append_calls(page, *message);
  if (const std::string refusal = text_at(effect.reply, "refusal"); !refusal.empty())
    page.field("refused", Json(refusal), 4);
  if (const std::string whole = text_at(effect.reply, "raw_text"); !whole.empty())
    page.field("as it was written", Json(whole), 4);
}

// Of a result: what has a place of its own on the page.
constexpr std::array<std::string_view, 10> kPlaced = {"id",      "line",  "cluster", "outcome",    "scores",
                                                      "answers", "error", "usage",   "latency_ms", "extra"};

void append_result(Page& page, const CaseView& view) {
  const Json* answers = view.result.if_contains("answers");
  const std::string beside = answers != nullptr ? answers_side_by_side(*answers, page.style()) : "";
  if (!beside.empty()) {
    page.heading("answers");
    page.raw(beside);
  }
  std::string outcome = fmt::format("outcome: {}", view.outcome);
  if (view.outcome == kUnderWay)
    outcome += fmt::format(
        ", {} so far", counted_words(static_cast<std::int64_t>(view.effects.size()), "answer", "answers"));
  page.heading(outcome);
  if (const Json* error = view.result.if_contains("error")) page.text(text_or_json(*error), 2);
  if (const Json* scores = view.result.if_contains("scores"); scores != nullptr && scores->is_object()) {
    for (const auto& [name, value] : scores->get_object())
      page.text(fmt::format("{}  {}", std::string_view(name), number_or_none(as_number(value))), 2);
  }
  for (const auto& [name, value] : view.result) {
    const bool placed = std::ranges::find(kPlaced, std::string_view(name)) != kPlaced.end();
    const Json* given = view.input ? view.input->if_contains(name) : nullptr;
    const bool shown = placed && (name != "answers" || !beside.empty());
    if (shown || (given != nullptr && *given == value)) continue;
    page.field(name, value, 2);
  }
}

}  // namespace

std::string case_page(const CaseView& view, const TerminalStyle& style) {
  Page page(style);
  std::string title = fmt::format("{} · {}", view.id, view.evaluation);
  if (view.line > 0) title += fmt::format(" · line {}", view.line);
  page.heading(title);
  for (const std::string& note : view.notes) page.note(note, 2);
  if (view.input) {
    page.heading("input");
    for (const auto& [name, value] : *view.input) page.field(name, value, 2);
  }
  for (std::size_t i = 0; i < view.effects.size(); ++i) {
    page.heading(effect_words(i + 1, view.effects[i]));
    append_request(page, view.effects, i);
    append_reply(page, view.effects[i]);
  }
  append_result(page, view);
  return page.take();
}

Json to_json(const CaseView& view) {
  JsonArray effects;
  for (const EffectView& effect : view.effects) {
    effects.push_back(JsonObject{{"step", effect.step},
                                 {"attempt", effect.attempt},
                                 {"kind", effect.kind},
                                 {"model", effect.model},
                                 {"request", effect.request},
                                 {"reply", effect.reply},
                                 {"prompt_tokens", effect.prompt_tokens},
                                 {"completion_tokens", effect.completion_tokens},
                                 {"cached_tokens", effect.cached_tokens},
                                 {"reasoning_tokens", effect.reasoning_tokens},
                                 {"cost_usd", effect.cost_usd ? Json(*effect.cost_usd) : Json(nullptr)},
                                 {"latency_ms", effect.latency_ms},
                                 {"tries", effect.tries},
                                 {"reused", effect.reused},
                                 {"finished", effect.finished}});
  }
  JsonArray notes;
  for (const std::string& note : view.notes) notes.emplace_back(note);
  return JsonObject{{"evaluation", view.evaluation},
                    {"id", view.id},
                    {"line", view.line > 0 ? Json(view.line) : Json(nullptr)},
                    {"outcome", view.outcome},
                    {"input", view.input ? Json(*view.input) : Json(nullptr)},
                    {"effects", std::move(effects)},
                    {"result", view.result.empty() ? Json(nullptr) : Json(view.result)},
                    {"notes", std::move(notes)}};
}

}  // namespace assay
