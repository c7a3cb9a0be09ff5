#include "evaluations/benchmark/scoring/answer.h"

#include <algorithm>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/json/lenient_json_reader.h"
#include "core/text.h"

namespace assay::benchmark {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::string_view kFence = "```";
// Hostile text can make every attempt to read JSON fail late; all attempts together may read this many times
// the text.
constexpr std::size_t kWorkPerByte = 16;

// A fenced part of a message.
struct Block {
  std::string_view language;
  std::string_view content;
  enum class Holds { json, nothing, other } holds = Holds::other;
  bool closed = true;
};

bool is_language(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '+';
}

bool is_json(const Block& block) {
  return equal_ignoring_ascii_case(block.language, "json");
}

// Finds the blocks of a message, and what is left of it without them.
class BlockFinder {
 public:
  explicit BlockFinder(std::string_view text)
      : text_(text), work_left_(kWorkPerByte * (text.size() + 1024)) {}

  std::vector<Block> run() {
    std::size_t at = 0;
    while ((at = text_.find(kFence, at)) != kNowhere) at = take_block(at);
    prose_.append(text_.substr(prose_from_));
    return std::move(blocks_);
  }
  // After run(): the text outside of blocks.
  const std::string& prose() const { return prose_; }

 private:
  // Returns where to go on.
  std::size_t take_block(std::size_t at) {
    const std::size_t run = run_at(at);
    std::size_t begin = at + run;
    while (begin < text_.size() && is_language(text_[begin])) ++begin;
    const std::string_view language = text_.substr(at + run, begin - at - run);
    const bool own_line = starts_line(at);
    const std::size_t line_end = end_of_line(begin);
    const std::size_t next_line = std::min(line_end + 1, text_.size());
    if (auto block = json_block(begin, run, language, own_line)) return add(at, *block);
    if (!own_line) {
      // Words about a fence, or code inside a sentence.
      const std::size_t close = text_.find(kFence, at + run);
      return close < line_end ? close + run_at(close) : at + run;
    }
    // Words after the language are the fence's own, if JSON follows on the next line.
    auto block = json_block(next_line, run, language, own_line);
    if (block && block->block.holds == Block::Holds::json) return add(at, *block);
    const auto [end, after] = closing(next_line, run);
    const bool alone = trim(text_.substr(begin, line_end - begin)).empty();
    const std::size_t from = std::min(alone ? next_line : begin, end);
    return add(at, {{language, text_.substr(from, end - from), Block::Holds::other, end < after}, after});
  }

  struct Found {
    Block block;
    std::size_t after = 0;  // the fence that closes it
  };

  // A block that begins at `from` and holds one JSON value, or nothing.
  std::optional<Found> json_block(std::size_t from, std::size_t run, std::string_view language,
                                  bool own_line) {
    if (work_left_ == 0) return std::nullopt;
    LenientReader space(text_, from, Unfinished::reject);
    space.skip_space();
    spend(space.at() - from);
    if (own_line && run_at(space.at()) >= run) {
      const auto content = text_.substr(from, space.at() - from);
      return Found{{language, content, Block::Holds::nothing}, space.at() + run_at(space.at())};
    }
    LenientReader reader(text_, from, Unfinished::reject);
    Json value;
    const bool read = reader.read(value);
    if (read) reader.skip_space();
    spend(reader.at() - from);
    if (!read) return std::nullopt;
    const std::string_view content = text_.substr(from, reader.at() - from);
    Found found{{language, content, Block::Holds::json}, reader.at() + run_at(reader.at())};
    found.block.closed = run_at(reader.at()) >= run;
    if (own_line && (found.block.closed || reader.at_end())) return found;
    // Inside a sentence only what is plainly meant as an answer.
    const bool plain = value.is_structured() || is_json(found.block);
    return found.block.closed && plain ? std::optional(found) : std::nullopt;
  }

  std::size_t add(std::size_t at, Found found) {
    prose_.append(text_.substr(prose_from_, at - prose_from_)).push_back('\n');
    prose_from_ = found.after;
    blocks_.push_back(found.block);
    return found.after;
  }

  void spend(std::size_t characters) { work_left_ -= std::min(work_left_, characters + 1); }

  std::size_t end_of_line(std::size_t at) {
    // Remembered, for a line with very many fences.
    if (line_end_ < at || line_end_ == 0) line_end_ = std::min(text_.find('\n', at), text_.size());
    return line_end_;
  }

  std::size_t run_at(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && text_[end] == '`') ++end;
    return end - at;
  }

  bool starts_line(std::size_t at) const {
    // List marks and quotes may stand before it.
    while (at > 0 && std::string_view(" \t>*-").find(text_[at - 1]) != kNowhere) --at;
    return at == 0 || text_[at - 1] == '\n';
  }

  // Where the content ends and where the text goes on: a line that is only a fence at least as long, else the
  // next fence, else the end.
  std::pair<std::size_t, std::size_t> closing(std::size_t from, std::size_t run) {
    // Once no such line is left, there is none further on either.
    for (std::size_t line = from; run < hopeless_run_ && line < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      const std::string_view words = trim(text_.substr(line, end - line));
      if (words.size() >= run && words.find_first_not_of('`') == kNowhere) return {line, end};
      line = end + 1;
    }
    hopeless_run_ = std::min(hopeless_run_, run);
    const std::size_t next = text_.find(kFence, from);
    if (next == kNowhere) return {text_.size(), text_.size()};
    return {next, next + run_at(next)};
  }

  std::string_view text_;
  std::size_t work_left_;
  std::size_t line_end_ = 0;
  std::size_t hopeless_run_ = kNowhere;
  std::vector<Block> blocks_;
  std::string prose_;
  std::size_t prose_from_ = 0;
};

Answer without_value(AnswerState state, std::string_view why) {
  Answer answer;
  answer.state = state;
  answer.error = fmt::format("{}: {}", to_string(state), why);
  return answer;
}

Answer found(LenientJson json, std::vector<std::string> notes) {
  Answer answer;
  answer.state = AnswerState::found;
  answer.value = std::move(json.value);
  answer.notes = std::move(json.forgiven);
  answer.notes.insert(answer.notes.end(), notes.begin(), notes.end());
  return answer;
}

Answer broken(const Block& block) {
  auto json = parse_lenient_json(block.content);
  std::string why = json ? "there is text beside the JSON value" : std::move(json.error().message);
  return without_value(AnswerState::invalid, fmt::format("in the ```{} block, {}{}", block.language, why,
                                                         block.closed ? "" : "; the block is never closed"));
}

Answer from_block(const Block& block, std::vector<std::string> notes) {
  if (block.holds == Block::Holds::nothing)
    return without_value(AnswerState::empty, fmt::format("the ```{} block holds nothing", block.language));
  if (block.holds == Block::Holds::other) return broken(block);
  auto json = parse_lenient_json(block.content);
  if (!json) return broken(block);
  if (!block.closed) notes.emplace_back("code block that is never closed");
  return found(std::move(*json), std::move(notes));
}

bool begins_like_json(std::string_view text) {
  text = trim(text);
  return text.starts_with('{') || text.starts_with('[');
}

// What running text says with brackets without meaning an answer.
bool is_prose(const LenientJson& json) {
  const auto around = note_words(Note::surrounding_text);
  if (std::ranges::find(json.forgiven, around) == json.forgiven.end()) return false;
  if (const auto* object = json.value.if_object()) return object->empty();
  const auto* list = json.value.if_array();
  return list != nullptr && (list->empty() || (list->size() == 1 && list->front().is_number()));
}

struct Searched {
  std::vector<Block> blocks;
  std::string prose;
};

template <class Wanted>
const Block* last_block(const std::vector<Searched>& messages, Wanted wanted) {
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    const auto block = std::find_if(message->blocks.rbegin(), message->blocks.rend(), wanted);
    if (block != message->blocks.rend()) return &*block;
  }
  return nullptr;
}

Answer bare_value(const std::vector<Searched>& messages) {
  std::optional<Answer> invalid;
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    const std::string_view prose = trim(message->prose);
    if (prose.empty()) continue;
    auto json = parse_lenient_json(prose);
    if (json && !is_prose(*json)) return found(std::move(*json), {"no code block"});
    if (!json && !invalid && begins_like_json(prose))
      invalid = without_value(AnswerState::invalid, json.error().message);
  }
  return invalid ? std::move(*invalid)
                 : without_value(AnswerState::missing, "the assistant's messages hold no JSON");
}

}  // namespace

std::string_view to_string(AnswerState state) {
  switch (state) {
    case AnswerState::found:
      return "found";
    case AnswerState::missing:
      return "missing";
    case AnswerState::invalid:
      return "invalid";
    case AnswerState::empty:
      return "empty";
  }
  return "missing";
}

Answer extract_answer(std::span<const std::string> messages) {
  std::vector<Searched> searched;
  bool silent = true;
  for (const std::string& message : messages) {
    BlockFinder finder(message);
    auto blocks = finder.run();
    searched.push_back({std::move(blocks), finder.prose()});
    silent = silent && trim(message).empty();
  }
  if (silent) return without_value(AnswerState::missing, "the assistant wrote nothing");
  if (const Block* block = last_block(searched, is_json)) return from_block(*block, {});
  const auto holds_json = [](const Block& block) { return block.holds == Block::Holds::json; };
  if (const Block* block = last_block(searched, holds_json))
    return from_block(*block, {"code block that is not marked json"});
  Answer answer = bare_value(searched);
  if (answer.state == AnswerState::found) return answer;
  const auto meant_json = [](const Block& block) {
    return block.language.empty() && begins_like_json(block.content);
  };
  if (const Block* block = last_block(searched, meant_json)) return broken(*block);
  return answer;
}

Answer artifact_answer(const Json& reply, std::string_view identifier) {
  const JsonArray& artifacts = list_at(reply, "modified_artifacts");
  for (auto artifact = artifacts.rbegin(); artifact != artifacts.rend(); ++artifact) {
    if (find_text(*artifact, "identifier") != identifier) continue;
    const Json* data = find_member(*artifact, "data");
    if (data == nullptr || data->is_null())
      return without_value(AnswerState::empty, fmt::format("the artifact `{}` has no data", identifier));
    return found({*data, {}}, {});
  }
  return without_value(AnswerState::missing, fmt::format("there is no artifact `{}`", identifier));
}

}  // namespace assay::benchmark
