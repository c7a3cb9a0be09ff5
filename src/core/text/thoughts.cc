#include "core/text/thoughts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/json/json.h"
#include "core/text.h"

namespace assay {
namespace {

// More in one answer are rubbish.
constexpr int kMostBlocks = 256;

struct Marks {
  std::string_view open;
  std::string_view close;
};

// As the chat templates of open models have them; in lower case.
constexpr std::array<Marks, 6> kMarks{{
    {"<think>", "</think>"},
    {"<thinking>", "</thinking>"},
    {"<thought>", "</thought>"},
    {"[think]", "[/think]"},
    {"<seed:think>", "</seed:think>"},
    {"<|start_thinking|>", "<|end_thinking|>"},
}};

bool begins_line(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = before.find_last_of('\n');
  return trim(before.substr(line == std::string_view::npos ? 0 : line + 1)).empty();
}

bool ends_line(std::string_view text, std::size_t at) {
  const std::string_view after = text.substr(at);
  return trim(after.substr(0, after.find('\n'))).empty();
}

// "so it is.</think>": a word or the end of a sentence, with no space between.
bool follows_word(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  const std::string_view before = text.substr(0, at);
  constexpr auto kQuotes = std::to_array<std::string_view>({"“", "„", "«", "‘", "‚", "‹"});
  if (std::ranges::any_of(kQuotes, [&](std::string_view quote) { return before.ends_with(quote); }))
    return false;
  const char last = before.back();
  const bool ascii = static_cast<unsigned char>(last) < 0x80;
  return !ascii || (last >= '0' && last <= '9') || (last >= 'a' && last <= 'z') ||
         (last >= 'A' && last <= 'Z') || std::string_view(".!?:;)]}").contains(last);
}

struct Span {
  std::size_t from = 0;
  std::size_t end = 0;
};

// Code spans of a line: from a run of backticks to the next run of as many.
void add_code_spans(std::string_view text, Span line, std::vector<Span>& spans) {
  const auto run_at = [&](std::size_t at) {
    std::size_t end = at;
    while (end < line.end && text[end] == '`') ++end;
    return end - at;
  };
  std::size_t at = line.from;
  while (at < line.end) {
    const std::size_t run = run_at(at);
    if (run == 0) {
      ++at;
      continue;
    }
    std::size_t close = at + run;
    while (close < line.end && run_at(close) != run) close += std::max<std::size_t>(1, run_at(close));
    if (close >= line.end) {
      at += run;
      continue;
    }
    spans.push_back({at, close + run});
    at = close + run;
  }
}

// What is quoted as code. A fence that is never closed quotes nothing: thoughts may break off in one.
std::vector<Span> quoted_in(std::string_view text) {
  std::vector<Span> spans;
  std::vector<Span> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({at, end});
    at = end + 1;
  }
  const auto is_fence = [&](const Span& line) {
    return trim(text.substr(line.from, line.end - line.from)).starts_with("```");
  };
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    const auto close = is_fence(*line) ? std::find_if(line + 1, lines.end(), is_fence) : lines.end();
    if (close == lines.end()) {
      add_code_spans(text, *line, spans);
    } else {
      spans.push_back({line->from, close->end});
      line = close;
    }
  }
  return spans;
}

// `spans` one after the other.
bool holds(const std::vector<Span>& spans, std::size_t at) {
  const auto behind = std::ranges::upper_bound(spans, at, {}, &Span::from);
  return behind != spans.begin() && at < std::prev(behind)->end;
}

struct Block {
  std::size_t from = 0;
  std::size_t inner = 0;
  std::size_t inner_end = 0;
  std::size_t end = 0;
};

// `text` in lower case.
std::optional<Block> block_of(std::string_view text, const Marks& marks, const std::vector<Span>& quotes) {
  const auto next = [&](std::string_view mark, std::size_t from) {
    std::size_t at = text.find(mark, from);
    while (at != std::string_view::npos && holds(quotes, at)) at = text.find(mark, at + 1);
    return at;
  };
  const std::size_t open = next(marks.open, 0);
  for (std::size_t close = next(marks.close, 0); close < open; close = next(marks.close, close + 1)) {
    const std::size_t end = close + marks.close.size();
    if (begins_line(text, close) || ends_line(text, end) || follows_word(text, close))
      return Block{0, 0, close, end};
  }
  for (std::size_t at = open; at != std::string_view::npos; at = next(marks.open, at + 1)) {
    const std::size_t inner = at + marks.open.size();
    // The first one, quoted or not: what thoughts quote is theirs.
    const std::size_t close = text.find(marks.close, inner);
    if (close != std::string_view::npos) return Block{at, inner, close, close + marks.close.size()};
    if (begins_line(text, at)) return Block{at, inner, text.size(), text.size()};
  }
  return std::nullopt;
}

bool is_object_or_list(std::string_view text) {
  const std::string_view whole = trim(text);
  return (whole.starts_with('{') || whole.starts_with('[')) && is_json(whole);
}

void join(std::string& to, std::string_view between, std::string_view more) {
  if (!to.empty() && !more.empty()) to += between;
  to += more;
}

}  // namespace

PartedThoughts part_thoughts(std::string_view text) {
  PartedThoughts parted{std::string(text), {}};
  for (const Marks& marks : kMarks) {
    for (int blocks = 0; blocks < kMostBlocks; ++blocks) {
      const std::string lower = lower_ascii(parted.text);
      if (!lower.contains(marks.open) && !lower.contains(marks.close)) break;
      const auto block =
          is_object_or_list(parted.text) ? std::nullopt : block_of(lower, marks, quoted_in(lower));
      if (!block) break;
      const std::string_view whole = parted.text;
      join(parted.thoughts, "\n\n", trim(whole.substr(block->inner, block->inner_end - block->inner)));
      const bool inside_line = !begins_line(whole, block->from) && !ends_line(whole, block->end);
      std::string rest(trim(whole.substr(0, block->from)));
      join(rest, inside_line ? " " : "\n\n", trim(whole.substr(block->end)));
      parted.text = std::move(rest);
    }
  }
  return parted;
}

}  // namespace assay
