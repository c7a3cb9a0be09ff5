#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/json/json.h"
#include "core/json/lenient_json_reader.h"
#include "core/text.h"

// A model's reply is searched, not only read: every place where JSON could begin is tried with a forgiving
// reader. Two rules keep this honest and cheap. A place that turned out to be a broken object is left as a
// whole, so that a piece of its inside is never taken for the answer. And the characters read by all attempts
// together are limited to a multiple of the text, since hostile text can make every attempt fail late.
namespace assay {
namespace {

constexpr std::size_t kWorkPerByte = 16;
constexpr std::size_t kLongestCitation = 10;
constexpr std::string_view kFence = "```";

// A word right after a fence names the language.
bool is_language(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '+';
}

// Where the JSON that was tried first broke, for the error.
struct Breakage {
  std::size_t begin = 0;
  std::size_t at = 0;
  bool too_deep = false;
};

struct Candidate {
  Json value;
  Notes notes;
};

std::string place(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at);
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'),
                     1 + count_code_points(before.substr(before.rfind('\n') + 1)));
}

class Search {
 public:
  Search(std::string_view text, Unfinished unfinished)
      : text_(text), unfinished_(unfinished), work_left_(kWorkPerByte * (text.size() + 1024)) {}

  Result<LenientJson> run() {
    auto found = whole();
    if (!found) found = fenced();
    if (!found) found = running_text();
    if (!found) return failure();
    return LenientJson{std::move(found->value), found->notes.words()};
  }

 private:
  std::optional<Candidate> whole() {
    LenientReader reader(text_, 0, Unfinished::reject);
    Json value;
    const bool read = reader.read(value);
    spend(reader.at());
    if (!read) return std::nullopt;
    reader.skip_space();
    if (!reader.at_end()) return std::nullopt;
    return Candidate{std::move(value), reader.notes()};
  }

  // A block counts only with its closing fence. That fence may also be the opening one of the next block,
  // since a fence alone does not show which of both it is.
  std::optional<Candidate> fenced() {
    std::optional<Candidate> container;
    std::optional<Candidate> scalar;
    auto at = text_.find(kFence);
    while (at != std::string_view::npos && work_left_ > 0) {
      auto begin = at + kFence.size();
      while (begin < text_.size() && is_language(text_[begin])) ++begin;
      LenientReader reader(text_, begin, Unfinished::reject);
      Json value;
      const bool read = reader.read(value);
      if (read) reader.skip_space();
      spend(reader.at() - at);
      if (read && text_.substr(reader.at()).starts_with(kFence)) {
        auto notes = reader.notes();
        notes.add(Note::fence);
        const auto after = reader.at() + kFence.size();
        const auto around = std::pair(trim(text_.substr(0, at)), trim(text_.substr(after)));
        if (!around.first.empty() || !around.second.empty()) notes.add(Note::surrounding_text);
        auto& best = value.is_structured() ? container : scalar;
        best = Candidate{std::move(value), notes};
        at = reader.at();
      } else {
        at = text_.find(kFence, at + kFence.size());
      }
    }
    return container ? std::move(container) : std::move(scalar);
  }

  std::optional<Candidate> running_text() {
    std::optional<Candidate> answer;
    std::optional<Candidate> citation;
    auto begin = text_.find_first_of("{[");
    while (begin != std::string_view::npos && work_left_ > 0) {
      LenientReader reader(text_, begin, Unfinished::reject);
      Json value;
      auto next = begin + 1;
      if (reader.read(value)) {
        next = reader.at();
        auto& best = is_citation(value, begin, next) ? citation : answer;
        best = Candidate{std::move(value), reader.notes()};
        best->notes.add(Note::surrounding_text);
      } else {
        if (!breakage_ || reader.committed()) breakage_ = {begin, reader.at(), reader.too_deep()};
        if (reader.committed()) {
          if (reader.at_end()) return answer ? std::move(answer) : close(begin);
          next = after_brackets(reader.at(), reader.open());
        }
      }
      spend(reader.at() - begin);
      begin = text_.find_first_of("{[", next);
    }
    if (answer) return answer;
    if (citation) return citation;
    return breakage_ && breakage_->at >= text_.size() ? close(breakage_->begin) : std::nullopt;
  }

  std::optional<Candidate> close(std::size_t begin) {
    if (unfinished_ == Unfinished::reject) return std::nullopt;
    LenientReader reader(text_, begin, Unfinished::close);
    Json value;
    if (!reader.read(value)) return std::nullopt;
    Candidate candidate{std::move(value), reader.notes()};
    if (!trim(text_.substr(0, begin)).empty()) candidate.notes.add(Note::surrounding_text);
    return candidate;
  }

  // A short list of integers with words on its line.
  bool is_citation(const Json& value, std::size_t begin, std::size_t end) const {
    const auto* list = value.if_array();
    if (list == nullptr || list->empty() || list->size() > kLongestCitation) return false;
    if (!std::ranges::all_of(*list, [](const Json& item) { return item.is_int64(); })) return false;
    const auto before = text_.substr(0, begin);
    const auto line = before.substr(before.rfind('\n') + 1);
    const auto after = text_.substr(end);
    return !trim(line).empty() || !trim(after.substr(0, after.find('\n'))).empty();
  }

  // The place after the closing bracket of a broken value, given how many are open at `at`.
  std::size_t after_brackets(std::size_t at, std::size_t open) const {
    while (at < text_.size() && open > 0) {
      const char c = text_[at++];
      if (c == '{' || c == '[') ++open;
      if (c == '}' || c == ']') --open;
      if (c != '"') continue;
      while (at < text_.size() && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
      at = std::min(at + 1, text_.size());
    }
    return at;
  }

  void spend(std::size_t characters) { work_left_ -= std::min(work_left_, characters + 1); }

  std::unexpected<Error> failure() const {
    if (trim(text_).empty()) return fail(ErrorKind::parse, "the text is empty, expected JSON");
    if (!breakage_) return fail(ErrorKind::parse, "there is no JSON object or list in the text");
    const auto begin = place(text_, breakage_->begin);
    if (breakage_->too_deep) {
      return fail(ErrorKind::parse, fmt::format("the JSON at {} is nested too deeply", begin));
    }
    if (breakage_->at >= text_.size()) {
      return fail(ErrorKind::parse, fmt::format("the text ends inside the JSON that begins at {}", begin));
    }
    const auto found = first_code_point(text_.substr(breakage_->at));
    return fail(ErrorKind::parse,
                fmt::format("the JSON that begins at {} breaks at {}: unexpected '{}'", begin,
                            place(text_, breakage_->at), text_.substr(breakage_->at, found.size)));
  }

  std::string_view text_;
  Unfinished unfinished_;
  std::size_t work_left_;
  std::optional<Breakage> breakage_;
};

}  // namespace

Result<LenientJson> parse_lenient_json(std::string_view text, Unfinished unfinished) {
  if (auto strict = parse_json(text)) return LenientJson{std::move(*strict), {}};
  if (const auto at = find_invalid_utf8(text)) {
    return fail(ErrorKind::parse, fmt::format("the bytes at {} are not UTF-8", place(text, *at)));
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const bool marked = text.starts_with(kByteOrderMark);
  if (marked) text.remove_prefix(kByteOrderMark.size());
  auto found = Search(text, unfinished).run();
  if (found && marked) found->forgiven.emplace_back(note_words(Note::byte_order_mark));
  return found;
}

}  // namespace assay
