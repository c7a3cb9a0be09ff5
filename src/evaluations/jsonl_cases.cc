#include "evaluations/jsonl_cases.h"

#include <unordered_set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/tables/record_reader.h"

namespace assay {
namespace {

// As much as a LineParser may read behind a line.
constexpr std::size_t kReadableBehind = 64;

// Which ids are taken. A line without an id has its number for one; as long as no line has one of its own,
// the numbers are remembered as runs, so that a million lines without ids cost nothing.
class TakenIds {
 public:
  // False if another line has it.
  bool claim_number(std::uint64_t number) {
    if (!given_.empty()) return claim(std::to_string(number));
    if (!numbers_.empty() && numbers_.back().second + 1 == number) {
      numbers_.back().second = number;
    } else {
      numbers_.emplace_back(number, number);
    }
    return true;
  }
  bool claim(std::string_view id) {
    for (const auto& [first, last] : std::exchange(numbers_, {})) {
      for (std::uint64_t number = first; number <= last; ++number)
        given_.insert(hash(std::to_string(number)));
    }
    return given_.insert(hash(id)).second;
  }

 private:
  static std::size_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers_;
  std::unordered_set<std::size_t> given_;
};

class JsonlCases final : public CaseSource {
 public:
  JsonlCases(const DataFile& data, RecordReader reader, std::unique_ptr<LineForm> form, WantedFields wanted,
             std::vector<std::string> parts)
      : path_(data.path),
        reader_(std::move(reader)),
        fields_(data.fields),
        wanted_(std::move(wanted)),
        rewrites_(reader_.is_table() || !fields_.empty()),
        form_(std::move(form)),
        parts_(std::move(parts)) {}

  Result<bool> next() override {
    if (good_ && current_.part + 1 < parts_.size()) {
      show(current_.part + 1);
      return true;
    }
    for (;;) {
      auto line = reader_.next();
      if (!line) return fail(std::move(line.error()));
      good_ = false;
      if (!*line) {
        for (std::string& text : form_->at_end()) problems_.push_back({"warning", path_, std::move(text)});
        return false;
      }
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
    if (!*line) return fail(Error{ErrorKind::data, "the file has become shorter", {{"file", path_}}});
    const Line own = parse(**line);
    if (!found_.errors.empty()) return fail(Error{ErrorKind::data, found_.errors.front(), {{"file", path_}}});
    if (auto named = take_name(own); !named) return fail(std::move(named.error()));
    const auto parts = static_cast<std::int64_t>(parts_.size());
    lines_ = place.index / parts + 1;
    show(static_cast<std::size_t>(place.index % parts));
    return {};
  }

  std::vector<Problem> take_problems() override { return std::exchange(problems_, {}); }
  std::int64_t lines() const override { return lines_; }
  std::int64_t invalid() const override { return invalid_; }
  std::int64_t cases_per_line() const override { return static_cast<std::int64_t>(parts_.size()); }

 private:
  // What is wrong with the line goes into found_. Gives the line as the evaluation sees it.
  Line parse(const Line& line) {
    found_.clear();
    if (!rewrites_) {
      form_->read(line, found_);
      return line;
    }
    const auto problems = reader_.problems();
    found_.errors.assign(problems.begin(), problems.end());
    if (!found_.errors.empty()) return line;
    auto tree = parse_json(line.text);
    if (!tree) {
      found_.errors.push_back(not_json_words(line, tree.error()));
      return line;
    }
    if (!tree->is_object()) {
      form_->read(line, found_);  // says what it expects
      return line;
    }
    auto rewritten = fields_.rewrite(tree->get_object(),
                                     reader_.is_table() ? RecordOrigin::row : RecordOrigin::json, wanted_);
    if (!rewritten) {
      found_.errors = std::move(rewritten.error());
      return line;
    }
    rewritten_ = to_text(*rewritten);
    const std::size_t size = rewritten_.size();
    rewritten_.append(kReadableBehind, '\0');
    Line own = line;
    own.text = std::string_view(rewritten_).substr(0, size);
    form_->read(own, found_);
    return own;
  }

  bool read(const Line& given_line) {
    const Line line = parse(given_line);
    for (const std::string& text : found_.errors) tell("error", line.number, text);
    for (const std::string& text : found_.warnings) tell("warning", line.number, text);
    good_ = found_.errors.empty();
    if (!found_.named) return false;
    const auto given = take_name(line);
    if (!given) {
      tell("error", line.number, given.error().message);
      good_ = false;
    } else if (!(*given ? taken_.claim(line_id_) : taken_.claim_number(line.entry))) {
      tell("error", line.number,
           fmt::format("{} \"{}\" is there on an earlier line already", form_->id_words(), line_id_));
      good_ = false;
    }
    return good_;
  }

  // Whether the line has an id of its own.
  Result<bool> take_name(const Line& line) {
    const auto id = form_->id();
    if (!id) return fail(id.error());
    if (id->empty()) {
      line_id_ = std::to_string(line.entry);
    } else {
      line_id_.assign(*id);
    }
    current_.line = line.number;
    current_.cluster.assign(form_->cluster());
    current_.payload.assign(line.text);
    form_->lend(current_);
    return !id->empty();
  }

  void show(std::size_t part) {
    current_.id = line_id_;
    current_.id += parts_[part];
    current_.part = part;
    current_.index =
        (lines_ - 1) * static_cast<std::int64_t>(parts_.size()) + static_cast<std::int64_t>(part);
  }

  void tell(std::string severity, std::uint64_t line, std::string text) {
    problems_.push_back({std::move(severity), fmt::format("{}, line {}", path_, line), std::move(text)});
  }

  std::string path_;
  RecordReader reader_;
  FieldMap fields_;
  WantedFields wanted_;
  bool rewrites_;          // lines are not evaluated as they stand in the file
  std::string rewritten_;  // the current one
  std::unique_ptr<LineForm> form_;
  std::vector<std::string> parts_;
  LineForm::Findings found_;
  TakenIds taken_;
  std::string line_id_;
  Case current_;
  bool good_ = false;  // the current line's cases are being given
  std::vector<Problem> problems_;
  std::int64_t lines_ = 0;
  std::int64_t invalid_ = 0;
};

class TreeForm final : public LineForm {
 public:
  explicit TreeForm(const TreeLines& declared) : declared_(declared) {}

  void read(const Line& line, Findings& found) override {
    auto tree = parse_json(line.text);
    if (!tree) {
      found.errors.push_back(not_json_words(line, tree.error()));
      return;
    }
    tree_ = std::move(*tree);
    found.errors = declared_.check(tree_);
    if (!found.errors.empty()) return;
    found.named = true;
    id_ = declared_.id(tree_);
    cluster_ = declared_.cluster ? declared_.cluster(tree_) : std::string();
    if (declared_.count_unread) declared_.count_unread(tree_, unread_);
  }
  Result<std::string_view> id() override { return id_; }
  std::string_view cluster() override { return cluster_; }
  void lend(Case& current) const override { current.tree = &tree_; }
  std::string_view id_words() const override { return "the id"; }
  std::vector<std::string> at_end() override {
    std::vector<std::string> words;
    for (const auto& [field, counts] : unread_) {
      if (!counts.empty()) words.push_back(unread_words(field, counts));
    }
    return words;
  }

 private:
  const TreeLines& declared_;
  Json tree_;
  std::string id_;
  std::string cluster_;
  std::map<std::string, KeyCounts> unread_;
};

}  // namespace

Result<std::unique_ptr<CaseSource>> open_cases(const DataFile& data, std::unique_ptr<LineForm> form,
                                               WantedFields wanted, std::vector<std::string> parts) {
  auto reader = RecordReader::open(data.path, data.format);
  if (!reader) return fail(std::move(reader.error()));
  return std::make_unique<JsonlCases>(data, std::move(*reader), std::move(form), std::move(wanted),
                                      std::move(parts));
}

std::string text_of_id(const Json& line, std::string_view field) {
  const Json* id = find_member(line, field);
  return id == nullptr || id->is_null() ? "" : text_or_json(*id);
}

Result<std::unique_ptr<CaseSource>> open_trees(const TreeLines& lines) {
  return open_cases(lines.data, std::make_unique<TreeForm>(lines), lines.wanted, lines.parts);
}

}  // namespace assay
