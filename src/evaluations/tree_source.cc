#include "evaluations/tree_source.h"

#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace assay {
namespace {

class TreeSource final : public CaseSource {
 public:
  TreeSource(const TreeLines& lines, LineReader reader) : declared_(lines), reader_(std::move(reader)) {}

  Result<bool> next() override {
    if (good_ && current_.part + 1 < declared_.parts.size()) {
      show(current_.part + 1);
      return true;
    }
    for (;;) {
      auto line = reader_.next();
      if (!line) return fail(std::move(line.error()));
      good_ = false;
      if (!*line) return false;
      ++lines_;
      if (read(**line)) {
        show(0);
        return true;
      }
      ++invalid_;
    }
  }

  const Case& current() const override { return current_; }
  CasePlace place() const override { return {current_.index, reader_.place()}; }

  Status go_to(const CasePlace& place) override {
    if (auto gone = reader_.go_to(place.line); !gone) return gone;
    auto line = reader_.next();
    if (!line) return fail(std::move(line.error()));
    if (!*line)
      return fail(Error{ErrorKind::data, "the file has become shorter", {{"file", declared_.path}}});
    auto tree = parse_json((*line)->text);
    if (!tree) return fail(std::move(tree.error()));
    tree_ = std::move(*tree);
    const auto parts = static_cast<std::int64_t>(declared_.parts.size());
    lines_ = place.index / parts + 1;
    name(place.line.number);
    show(static_cast<std::size_t>(place.index % parts));
    return {};
  }

  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return lines_; }
  std::int64_t invalid() const override { return invalid_; }
  std::int64_t cases_per_line() const override { return static_cast<std::int64_t>(declared_.parts.size()); }

 private:
  bool read(const Line& line) {
    auto tree = parse_json(line.text);
    if (!tree) {
      add(line.number, "not JSON: " + tree.error().text());
      return false;
    }
    tree_ = std::move(*tree);
    const std::vector<std::string> wrong = declared_.check(tree_);
    for (const std::string& text : wrong) add(line.number, text);
    if (!wrong.empty()) return false;
    name(line.number);
    if (!seen_.insert(std::hash<std::string_view>{}(line_id_)).second) {
      add(line.number, fmt::format("the id \"{}\" is there on an earlier line already", line_id_));
      return false;
    }
    good_ = true;
    return true;
  }

  void name(std::uint64_t number) {
    number_ = number;
    line_id_ = declared_.id(tree_);
    if (line_id_.empty()) line_id_ = std::to_string(number);
    cluster_ = declared_.cluster ? declared_.cluster(tree_) : std::string();
  }

  void show(std::size_t part) {
    id_ = line_id_ + declared_.parts[part];
    const auto parts = static_cast<std::int64_t>(declared_.parts.size());
    current_ = {(lines_ - 1) * parts + static_cast<std::int64_t>(part),
                number_,
                id_,
                cluster_,
                nullptr,
                &tree_,
                part};
  }

  void add(std::uint64_t line, std::string text) {
    problems_.push_back({"error", fmt::format("{}, line {}", declared_.path, line), std::move(text)});
  }

  const TreeLines& declared_;
  LineReader reader_;
  Json tree_;
  bool good_ = false;  // tree_ is a line whose cases are being given
  std::uint64_t number_ = 0;
  std::string line_id_;
  std::string id_;
  std::string cluster_;
  Case current_;
  std::vector<Problem> problems_;
  std::int64_t lines_ = 0;
  std::int64_t invalid_ = 0;
  std::unordered_set<std::size_t> seen_;
};

}  // namespace

Result<std::unique_ptr<CaseSource>> open_trees(const TreeLines& lines) {
  auto reader = LineReader::open(lines.path);
  if (!reader) return fail(std::move(reader.error()));
  return std::make_unique<TreeSource>(lines, std::move(*reader));
}

}  // namespace assay
