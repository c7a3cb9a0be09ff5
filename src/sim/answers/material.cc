#include "sim/answers/material.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <unordered_set>

#include "core/text.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostWords = 160;

constexpr auto kSubjects = std::to_array<std::string_view>(
    {"question", "message", "user_message", "query", "input", "item", "email", "text", "content", "user"});
constexpr auto kAnswers = std::to_array<std::string_view>(
    {"answer", "actual_answer", "response", "actual_output", "output", "reply", "summary", "completion"});
constexpr auto kRequirements = std::to_array<std::string_view>({"requirement", "rubric", "criterion"});
constexpr auto kJudged =
    std::to_array<std::string_view>({"claims", "statements", "opinions", "information_needs", "needs",
                                     "guidelines", "items", "facts", "truths"});

bool name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

std::string singular(std::string_view name) {
  std::string out = lower_ascii(name);
  if (out.ends_with("ies")) return out.substr(0, out.size() - 3) + "y";
  if (out.ends_with('s')) out.pop_back();
  return out;
}

std::vector<Item> numbered_items(std::string_view text) {
  std::vector<Item> items;
  for (const std::string_view raw : split_lines(text)) {
    const std::string_view line = trim(raw);
    std::size_t digits = 0;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) ++digits;
    const bool numbered = digits > 0 && digits < 10 && digits + 1 < line.size() &&
                          (line[digits] == '.' || line[digits] == ')' || line[digits] == ':') &&
                          std::isspace(static_cast<unsigned char>(line[digits + 1])) != 0;
    if (numbered) {
      items.push_back({line.substr(0, digits), trim(line.substr(digits + 1))});
    } else if (!items.empty() && !line.empty()) {
      const char* start = items.back().text.data();
      items.back().text = {start, static_cast<std::size_t>(line.data() + line.size() - start)};
    }
  }
  return items;
}

// The name of a tag that opens at `at` ("<context>"), with attributes or not; empty if there is none.
std::string_view opening_tag(std::string_view text, std::size_t at, std::size_t& after) {
  std::size_t end = at + 1;
  while (end < text.size() && name_character(text[end])) ++end;
  const std::string_view name = text.substr(at + 1, end - at - 1);
  if (name.empty() || end >= text.size() || (text[end] != '>' && text[end] != ' ')) return {};
  const std::size_t close = text.find_first_of(">\n", end);
  if (close == std::string_view::npos || text[close] != '>') return {};
  after = close + 1;
  return name;
}

// Blocks inside a block whose names end in a number: <context_1> … </context_1>.
std::vector<Item> numbered_parts(std::string_view text) {
  std::vector<Item> parts;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t after = 0;
    const std::string_view name = text[at] == '<' ? opening_tag(text, at, after) : std::string_view();
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits > 1 && digits < name.size() && name[digits - 1] == '_') {
      const std::string closing = "</" + std::string(name) + ">";
      if (const std::size_t end = text.find(closing, after); end != std::string_view::npos) {
        parts.push_back({name.substr(digits), trim(text.substr(after, end - after))});
        at = end + closing.size();
        continue;
      }
    }
    const std::size_t line_end = text.find('\n', at);
    at = line_end == std::string_view::npos ? text.size() : line_end + 1;
  }
  return parts;
}

// Of a line of a transcript: whether it is neither a message of the agent nor a call of a tool.
bool is_said_by_another(std::string_view line) {
  if (line.find("\"event_source\":") == std::string_view::npos) return false;
  constexpr std::array<std::string_view, 3> kOwn = {
      "\"event_source\":\"ai_agent\"", "\"event_source\":\"assistant\"", "\"event_kind\":\"tool\""};
  return std::ranges::none_of(
      kOwn, [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
}

}  // namespace

Material::Material(const ChatRequest& request) {
  const Message* last_user = nullptr;
  for (const Message& message : request.messages) {
    if (message.role == Role::system) sources_.push_back(message.text);
    if (message.role == Role::user) last_user = &message;
  }
  // A complaint about the last answer comes without the material, which then stands in the message before.
  const Message* shown = last_user;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
    if (message->role == Role::user && message->text.find("</") != std::string::npos) {
      shown = &*message;
      break;
    }
  }
  for (const std::string_view system : sources_) {
    instructions_ += system;
    instructions_ += '\n';
  }
  if (shown != nullptr) {
    sources_.push_back(shown->text);
    take_blocks(shown->text);
  }
  std::ranges::transform(instructions_, instructions_.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (const Block* block = find(kSubjects)) {
    subject_ = block->text;
  } else if (shown != nullptr) {
    subject_ = shown->text;
  }
  choose_judged_items();
}

// Blocks open at the start of a line and are not nested, but for numbered parts: what looks like a tag inside
// a block is its text.
void Material::take_blocks(std::string_view text) {
  std::size_t at = 0;
  std::size_t outside = 0;
  while (at < text.size()) {
    std::size_t after = 0;
    const std::string_view name = text[at] == '<' ? opening_tag(text, at, after) : std::string_view();
    if (!name.empty()) {
      const std::string closing = "</" + std::string(name) + ">";
      if (const std::size_t end = text.find(closing, after); end != std::string_view::npos) {
        const std::string_view inside = trim(text.substr(after, end - after));
        std::vector<Item> parts = numbered_parts(inside);
        const bool parted = !parts.empty();
        blocks_.push_back({name, inside, parted ? std::move(parts) : numbered_items(inside), parted});
        instructions_ += text.substr(outside, at - outside);
        at = outside = end + closing.size();
        continue;
      }
    }
    const std::size_t line_end = text.find('\n', at);
    at = line_end == std::string_view::npos ? text.size() : line_end + 1;
  }
  instructions_ += text.substr(outside);
}

const Block* Material::find(std::span<const std::string_view> names) const {
  for (const std::string_view name : names) {
    for (const Block& block : blocks_) {
      if (equal_ignoring_ascii_case(block.name, name)) return &block;
    }
  }
  return nullptr;
}

void Material::choose_judged_items() {
  for (const Block& block : blocks_) {
    if (block.items.empty()) continue;
    const std::string name = singular(block.name);
    for (const std::string_view before : {"each ", "every ", "per ", "each of the ", "for the "}) {
      if (instructions_.find(std::string(before) + name) != std::string::npos) {
        judged_items_ = &block;
        return;
      }
    }
  }
  for (const std::string_view name : kJudged) {
    const Block* block = find(std::array{name});
    if (block != nullptr && !block->items.empty()) {
      judged_items_ = block;
      return;
    }
  }
  for (const Block& block : blocks_) {
    if (!block.items.empty()) judged_items_ = &block;
  }
}

std::string_view Material::answer() const {
  const Block* block = find(kAnswers);
  return block == nullptr ? subject_ : block->text;
}

std::string_view Material::requirement() const {
  const Block* block = find(kRequirements);
  return block == nullptr || find(kAnswers) == nullptr ? std::string_view() : block->text;
}

std::optional<std::int64_t> Material::numbered_part(std::string_view name, std::string_view text) const {
  const std::string key = "\"" + std::string(name) + "\":";
  const WordSet wanted(text);
  std::optional<std::int64_t> best;
  double most = -2;
  const std::string_view last = sources_.empty() ? std::string_view() : sources_.back();
  for (const Block& block : blocks_) {
    // Examples in the instructions have numbers of their own.
    const bool in_last = block.text.data() >= last.data() && block.text.data() < last.data() + last.size();
    if (!in_last) continue;
    for (const std::string_view line : split_lines(block.text)) {
      const std::size_t at = line.find(key);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = trim(line.substr(at + key.size()));
      std::int64_t number = 0;
      if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc()) continue;
      // An agent is judged by what it did itself, if it did anything.
      const double shared = overlap(wanted, WordSet(line)) - (is_said_by_another(line) ? 1 : 0);
      if (shared <= most) continue;
      most = shared;
      best = number;
    }
  }
  return best;
}

std::string_view Material::explanation(std::string_view label) const {
  if (label.empty()) return {};
  for (const std::string_view source : sources_) {
    for (std::size_t at = source.find(label); at != std::string_view::npos; at = source.find(label, at + 1)) {
      const std::size_t line_start = source.rfind('\n', at) + 1;
      const std::string_view before = source.substr(line_start, at - line_start);
      if (before.find_first_not_of(" \t-*•`\"'0123456789.)([") != std::string_view::npos) continue;
      std::size_t after = at + label.size();
      after = std::min(source.find_first_not_of("`\"'*]) \t", after), source.size());
      const std::string_view rest = source.substr(after, source.find('\n', after) - after);
      for (const std::string_view mark : {":", "—", "–", "-", "="}) {
        if (rest.starts_with(mark)) return trim(rest.substr(mark.size()));
      }
    }
  }
  return {};
}

std::span<const std::string> Material::words() const {
  if (!words_) choose_words();
  return *words_;
}

void Material::choose_words() const {
  std::vector<std::string>& words = words_.emplace();
  std::unordered_set<std::uint64_t> seen;
  const auto take = [&](std::string_view text) {
    for (const std::string_view word : split_words(text.substr(0, 4096))) {
      if (words.size() >= kMostWords) return;
      const bool plain =
          word.size() > 2 && word.size() < 24 && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
      if (plain && !is_stop_word(word) && seen.insert(stem_of(word)).second)
        words.push_back(lower_ascii(word));
    }
  };
  take(subject_);
  for (const Block& block : blocks_) take(block.text);
}

}  // namespace assay::sim
