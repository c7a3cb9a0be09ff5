#include "evaluations/custom/condition_reader.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/text.h"
#include "core/unicode.h"

namespace assay::custom {
namespace {

using Kind = ConditionNode::Kind;
using Nodes = std::vector<ConditionNode>;

constexpr std::size_t kLongest = 10'000;  // bytes
constexpr int kDeepest = 50;              // parentheses and nots inside one another

struct Token {
  enum class Kind { word, quoted, braced, sign, mark, end } kind = Kind::end;
  std::string text;
  std::size_t at = 0;  // bytes before it

  bool is(std::string_view word) const { return kind == Kind::word && text == word; }
  bool is_mark(char c) const { return kind == Kind::mark && text.front() == c; }
};

struct Sign {
  std::string_view text;
  ConditionNode::Kind kind;
};
constexpr std::array<Sign, 6> kSigns = {{{"==", Kind::equal},
                                         {"!=", Kind::unequal},
                                         {">=", Kind::at_least},
                                         {"<=", Kind::at_most},
                                         {">", Kind::above},
                                         {"<", Kind::below}}};

constexpr std::string_view kMarks = "()[],";
constexpr std::string_view kEndOfWord = "()[],{}<>=!\"'";

class Reader {
 public:
  Reader(std::string_view text, TestsOf tests_of, std::span<const std::string> fields)
      : text_(text), tests_of_(tests_of), fields_(fields) {}

  Result<Nodes> read() {
    if (text_.size() > kLongest) return wrong(0, fmt::format("it is longer than {} bytes", kLongest));
    if (const auto bad = find_invalid_utf8(text_)) return wrong(*bad, "it is not UTF-8 from here on");
    if (auto cut = cut_into_tokens(); !cut) return fail(std::move(cut.error()));
    if (next().kind == Token::Kind::end) return wrong(0, "it is empty");
    if (auto whole = any(); !whole) return fail(std::move(whole.error()));
    if (next().kind != Token::Kind::end)
      return expected(tests_of_ == TestsOf::fields ? "`and`, `or`, a sign or the end"
                                                   : "`and`, `or` or the end");
    return std::move(nodes_);
  }

 private:
  using Place = Result<std::size_t>;  // of a node that was added

  // --- tokens ---

  Status cut_into_tokens() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const CodePoint point = first_code_point(text_.substr(at));
      if (is_white_space(point.value)) {
        at += point.size;
        continue;
      }
      auto token = token_at(at);
      if (!token) return fail(std::move(token.error()));
      at = token->second;
      tokens_.push_back(std::move(token->first));
    }
    tokens_.push_back({Token::Kind::end, "", text_.size()});
    return {};
  }

  // The token and where it ends.
  Result<std::pair<Token, std::size_t>> token_at(std::size_t at) const {
    const char c = text_[at];
    if (kMarks.contains(c)) return std::pair(Token{Token::Kind::mark, std::string(1, c), at}, at + 1);
    if (c == '"' || c == '\'') return enclosed(at, c, Token::Kind::quoted);
    if (c == '{') return enclosed(at, '}', Token::Kind::braced);
    for (const Sign& sign : kSigns) {
      if (text_.substr(at).starts_with(sign.text))
        return std::pair(Token{Token::Kind::sign, std::string(sign.text), at}, at + sign.text.size());
    }
    if (c == '=') return wrong(at, "use == to compare");
    if (c == '!') return wrong(at, "write `not`");
    if (c == '}') return wrong(at, "this } closes nothing");
    std::size_t end = at;
    while (end < text_.size() && !kEndOfWord.contains(text_[end])) {
      const CodePoint point = first_code_point(text_.substr(end));
      if (is_white_space(point.value)) break;
      end += point.size;
    }
    return std::pair(Token{Token::Kind::word, std::string(text_.substr(at, end - at)), at}, end);
  }

  Result<std::pair<Token, std::size_t>> enclosed(std::size_t at, char close, Token::Kind kind) const {
    const std::size_t end = text_.find(close, at + 1);
    if (end == std::string_view::npos)
      return wrong(at, fmt::format("the {} that belongs to this is missing", close));
    return std::pair(Token{kind, std::string(text_.substr(at + 1, end - at - 1)), at}, end + 1);
  }

  const Token& next() const { return tokens_[place_]; }
  Token take() { return tokens_[place_++]; }

  // --- grammar ---

  Place add(ConditionNode node) {
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  Place joined(Kind kind, std::string_view word, Place (Reader::*part)()) {
    ConditionNode node{.kind = kind};
    do {
      const auto one = (this->*part)();
      if (!one) return one;
      node.parts.push_back(*one);
    } while (next().is(word) && (take(), true));
    return node.parts.size() == 1 ? Place(node.parts.front()) : add(std::move(node));
  }
  Place any() { return joined(Kind::any, "or", &Reader::all); }
  Place all() { return joined(Kind::all, "and", &Reader::single); }

  Place single() {
    if (!next().is("not") && !next().is_mark('(')) return test();
    // `not in` begins a test on the value that goes without saying.
    if (tests_of_ == TestsOf::one_value && next().is("not") && tokens_[place_ + 1].is("in")) return test();
    if (++depth_ > kDeepest)
      return wrong(next().at, fmt::format("more than {} are inside one another", kDeepest));
    const Token open = take();
    Place inner = open.is("not") ? single() : any();
    --depth_;
    if (!inner) return inner;
    if (open.is("not")) return add({.kind = Kind::none, .parts = {*inner}});
    if (!next().is_mark(')')) return expected("`)`");
    take();
    return inner;
  }

  Place test() {
    ConditionNode node;
    if (tests_of_ == TestsOf::fields) {
      const Token name = take();
      if (name.kind != Token::Kind::braced && (name.kind != Token::Kind::word || is_keyword(name)))
        return not_found(name, "a field");
      if (std::ranges::find(fields_, name.text) == fields_.end()) return unknown_field(name);
      node.field = name.text;
    }
    if (next().kind == Token::Kind::sign) return compared(std::move(node));
    if (next().is("in") || (next().is("not") && tokens_[place_ + 1].is("in"))) return listed(std::move(node));
    if (tests_of_ == TestsOf::one_value) return expected("one of == != >= > <= <, in, not in");
    return add(std::move(node));
  }

  Place compared(ConditionNode node) {
    const Token sign = take();
    node.kind = std::ranges::find(kSigns, std::string_view(sign.text), &Sign::text)->kind;
    auto one = value();
    if (!one) return fail(std::move(one.error()));
    node.values.push_back(std::move(*one));
    return add(std::move(node));
  }

  Place listed(ConditionNode node) {
    node.kind = next().is("not") ? Kind::not_in : Kind::in;
    if (node.kind == Kind::not_in) take();
    take();
    if (!next().is_mark('[')) return expected("a list, as in [refund, delivery]");
    do {
      take();
      auto one = value();
      if (!one) return fail(std::move(one.error()));
      node.values.push_back(std::move(*one));
    } while (next().is_mark(','));
    if (!next().is_mark(']')) return expected("`,` or `]`; a value of several words stands in quotes");
    take();
    return add(std::move(node));
  }

  Result<Json> value() {
    const Token token = take();
    if (token.kind == Token::Kind::quoted) return Json(boost::json::string(token.text));
    if (token.kind != Token::Kind::word) return not_found(token, "a value");
    auto plain = parse_json(token.text);  // a number, true, false or null
    return plain ? std::move(*plain) : Json(boost::json::string(token.text));
  }

  static bool is_keyword(const Token& token) {
    return token.is("and") || token.is("or") || token.is("not") || token.is("in");
  }

  // --- what is wrong ---

  std::unexpected<Error> wrong(std::size_t at, std::string_view why) const {
    const std::string_view example =
        tests_of_ == TestsOf::fields ? "area == refund and amount >= 10" : ">= 4";
    return fail(Error{ErrorKind::config,
                      fmt::format("\"{}\" is not a condition: {}; one reads like \"{}\"",
                                  shorten(repair_utf8(text_), 120), why, example),
                      {{"column", fmt::format("{}", count_code_points(text_.substr(0, at)) + 1)}}});
  }
  std::unexpected<Error> not_found(const Token& token, std::string_view what) const {
    return wrong(token.at, token.kind == Token::Kind::end
                               ? fmt::format("it ends where {} is expected", what)
                               : fmt::format("found `{}`, expected {}", shorten(token.text, 60), what));
  }
  std::unexpected<Error> expected(std::string_view what) const { return not_found(next(), what); }

  std::unexpected<Error> unknown_field(const Token& name) const {
    std::string words = fmt::format("there is no field `{}`", shorten(name.text, 60));
    if (const auto guess = nearest(name.text, fields_)) words += fmt::format("; did you mean `{}`?", *guess);
    return wrong(name.at, words);
  }

  std::string_view text_;
  TestsOf tests_of_;
  std::span<const std::string> fields_;
  std::vector<Token> tokens_;
  std::size_t place_ = 0;
  int depth_ = 0;
  Nodes nodes_;
};

}  // namespace

Result<Nodes> read_condition(std::string_view text, TestsOf tests_of, std::span<const std::string> fields) {
  return Reader(text, tests_of, fields).read();
}

}  // namespace assay::custom
