#include "core/json/jsonl.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "core/text.h"

namespace assay {

namespace {

constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

}  // namespace

Result<LineReader> LineReader::open(const std::string& path, std::size_t max_line) {
  auto window = ReadWindow::open(path);
  if (!window) return fail(std::move(window.error()));
  return LineReader(std::move(*window), max_line);
}

Result<std::optional<Line>> LineReader::next() {
  for (;;) {
    std::size_t searched = 0;
    std::string_view unread;
    const char* newline = nullptr;
    for (;;) {
      unread = window_.unread();
      newline =
          static_cast<const char*>(std::memchr(unread.data() + searched, '\n', unread.size() - searched));
      if (newline != nullptr || window_.at_end()) break;
      searched = unread.size();
      if (searched > max_line_) {
        return fail(Error{
            ErrorKind::data,
            fmt::format("the line is longer than {} bytes; is this one JSON object per line?", max_line_),
            {{"file", window_.path()}, {"line", std::to_string(line_number_ + 1)}}});
      }
      if (auto read = window_.read_more(); !read) return fail(std::move(read.error()));
    }
    const std::size_t length =
        newline != nullptr ? static_cast<std::size_t>(newline - unread.data()) : unread.size();
    if (length == 0 && newline == nullptr) return std::nullopt;
    std::string_view text = unread.substr(0, length);
    line_begins_ = window_.offset();
    window_.give_up(length + (newline != nullptr ? 1 : 0));
    ++line_number_;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (!blank(text)) return Line{.text = text, .number = line_number_, .entry = line_number_};
  }
}

LinePlace LineReader::place() const {
  return {.offset = line_begins_, .number = line_number_, .entry = line_number_};
}

Status LineReader::go_to(const LinePlace& place) {
  line_number_ = place.number - 1;
  return window_.go_to(place.offset);
}

std::string_view kind_word(FieldValue::Kind kind) {
  switch (kind) {
    case FieldValue::Kind::absent:
      return "nothing";
    case FieldValue::Kind::null:
      return "null";
    case FieldValue::Kind::boolean:
      return "true/false";
    case FieldValue::Kind::number:
      return "a number";
    case FieldValue::Kind::text:
      return "text";
    case FieldValue::Kind::list:
      return "a list";
    case FieldValue::Kind::object:
      return "an object";
  }
  return "";
}

namespace {

namespace dom = simdjson::dom;

FieldValue to_field(dom::element element) {
  FieldValue value;
  switch (element.type()) {
    case dom::element_type::NULL_VALUE:
      value.kind = FieldValue::Kind::null;
      break;
    case dom::element_type::BOOL:
      value.kind = FieldValue::Kind::boolean;
      value.boolean = element.get_bool().value_unsafe();
      break;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
    case dom::element_type::DOUBLE:
      value.kind = FieldValue::Kind::number;
      value.number = element.get_double().value_unsafe();
      break;
    case dom::element_type::STRING:
      value.kind = FieldValue::Kind::text;
      value.text = element.get_string().value_unsafe();
      break;
    case dom::element_type::ARRAY:
      value.kind = FieldValue::Kind::list;
      break;
    case dom::element_type::OBJECT:
      value.kind = FieldValue::Kind::object;
      break;
  }
  return value;
}

// Recursion is bounded by the parser's own depth limit.
Json to_tree(dom::element element) {
  switch (element.type()) {
    case dom::element_type::NULL_VALUE:
      return nullptr;
    case dom::element_type::BOOL:
      return element.get_bool().value_unsafe();
    case dom::element_type::INT64:
      return element.get_int64().value_unsafe();
    case dom::element_type::UINT64:
      return element.get_uint64().value_unsafe();
    case dom::element_type::DOUBLE:
      return element.get_double().value_unsafe();
    case dom::element_type::STRING: {
      const std::string_view text = element.get_string().value_unsafe();
      return boost::json::string(text);
    }
    case dom::element_type::ARRAY: {
      JsonArray array;
      for (dom::element item : element.get_array().value_unsafe()) array.push_back(to_tree(item));
      return array;
    }
    case dom::element_type::OBJECT: {
      JsonObject object;
      for (dom::key_value_pair pair : element.get_object().value_unsafe()) {
        object.insert_or_assign(pair.key, to_tree(pair.value));
      }
      return object;
    }
  }
  return nullptr;
}

// The parser saw one line and calls it the first; the caller knows its number in the file.
std::string plain_reason(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "the line holds invalid UTF-8; save the file as UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "not JSON: a text is not closed with \"";
    case simdjson::DEPTH_ERROR:
      return "nested too deeply (more than 128 levels)";
    case simdjson::UNESCAPED_CHARS:
      return "not JSON: a control character inside a text must be escaped";
    case simdjson::CAPACITY:
      return "the line is longer than 4 GB";
    case simdjson::EMPTY:
      return "the line is empty";
    default:
      return "";
  }
}

}  // namespace

std::string not_json_words(const Line& line, const Error& error) {
  Error inside = error;
  std::erase_if(inside.context, [](const auto& entry) { return entry.first == "line"; });
  // What spans several lines of its file, or begins inside one, says where it went wrong in that file.
  const auto number = [&](std::string_view name) {
    const auto found = std::ranges::find(error.context, name,
                                         [](const auto& entry) { return std::string_view(entry.first); });
    std::uint64_t value = 1;
    if (found != error.context.end())
      std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
    return value;
  };
  if (const std::uint64_t below = number("line") - 1; below > 0 || line.column > 1) {
    inside.context = {
        {"line", std::to_string(line.number + below)},
        {"column", std::to_string(below > 0 ? number("column") : number("column") + line.column - 1)}};
  }
  std::string words = "not JSON: " + inside.text();
  const std::string_view text = trim(line.text);
  const bool table = !text.starts_with('{') && !text.starts_with('[') && !text.starts_with('"') &&
                     (text.contains(',') || text.contains('\t'));
  if (table) words += "; this looks like a table (CSV), expected a JSON object on each line";
  return words;
}

struct LineParser::State {
  dom::parser parser;
  std::string copy;                                   // of a text that came without padding
  std::vector<std::optional<dom::element>> elements;  // of the declared fields
  std::vector<std::pair<std::string_view, dom::element>> extras;
  std::unordered_map<std::string_view, std::size_t> extra_at;  // places in `extras`, if there are many

  std::vector<std::size_t> usual;  // which declared field stood at each position of the line before

  // The declared field of that name; their number if there is none. Lines of one file have their fields in
  // one order, so mostly the first look finds it.
  std::size_t declared(const std::vector<std::string>& names, std::string_view key, std::size_t position) {
    if (position < usual.size() && names[usual[position]] == key) return usual[position];
    const auto found = static_cast<std::size_t>(std::ranges::find(names, key) - names.begin());
    constexpr std::size_t kRemembered = 64;
    if (found == names.size() || position >= kRemembered) return found;
    if (position >= usual.size()) usual.resize(position + 1);
    usual[position] = found;
    return found;
  }

  // Of the field of that name; the number of extras if there is none yet.
  std::size_t place_of(std::string_view name) {
    constexpr std::size_t kFew = 16;
    if (extras.size() < kFew) {
      const auto found = std::ranges::find(extras, name, [](const auto& extra) { return extra.first; });
      return static_cast<std::size_t>(found - extras.begin());
    }
    if (extra_at.empty()) {
      for (std::size_t i = 0; i < extras.size(); ++i) extra_at.emplace(extras[i].first, i);
    }
    return extra_at.try_emplace(name, extras.size()).first->second;
  }
};

LineParser::LineParser(std::vector<std::string> fields)
    : state_(std::make_unique<State>()), names_(std::move(fields)), values_(names_.size()) {
  state_->elements.resize(names_.size());
}
LineParser::LineParser(LineParser&&) noexcept = default;
LineParser& LineParser::operator=(LineParser&&) noexcept = default;
LineParser::~LineParser() = default;

Status LineParser::parse_copy(std::string_view text) {
  state_->copy.assign(text);
  state_->copy.append(kPadding, '\0');
  return parse({std::string_view(state_->copy).substr(0, text.size()), 1});
}

Status LineParser::parse(const Line& line) {
  std::fill(values_.begin(), values_.end(), FieldValue{});
  std::fill(state_->elements.begin(), state_->elements.end(), std::nullopt);
  state_->extras.clear();
  state_->extra_at.clear();
  repeated_.clear();
  if (state_->parser.max_depth() != 128) {
    // simdjson's own default of 1024 levels is more than any recursion behind it should bear.
    if (state_->parser.allocate(std::max<std::size_t>(line.text.size(), 4096), 128) != simdjson::SUCCESS) {
      return fail(ErrorKind::data, "not enough memory for the line");
    }
  }
  dom::element root;
  const auto code = state_->parser.parse(line.text.data(), line.text.size(), false).get(root);
  if (code != simdjson::SUCCESS) {
    std::string reason = plain_reason(code);
    if (reason.empty()) {
      // The slow, strict parser knows where it went wrong.
      auto strict = parse_json(line.text);
      reason = strict ? std::string("not JSON") : not_json_words(line, strict.error());
    }
    return fail(ErrorKind::data, std::move(reason));
  }
  if (root.type() != dom::element_type::OBJECT) {
    return fail(ErrorKind::data,
                fmt::format("found {}, expected a JSON object", kind_word(to_field(root).kind)));
  }
  std::size_t position = 0;
  for (dom::key_value_pair pair : root.get_object().value_unsafe()) {
    const std::size_t index = state_->declared(names_, pair.key, position++);
    if (index < names_.size()) {
      if (state_->elements[index]) repeated_.push_back(names_[index]);
      state_->elements[index] = pair.value;
      values_[index] = to_field(pair.value);
      continue;
    }
    if (const std::size_t place = state_->place_of(pair.key); place < state_->extras.size()) {
      repeated_.emplace_back(pair.key);
      state_->extras[place].second = pair.value;
    } else {
      state_->extras.emplace_back(pair.key, pair.value);
    }
  }
  return {};
}

Json LineParser::tree(std::size_t index) const {
  const auto& element = state_->elements[index];
  return element ? to_tree(*element) : Json(nullptr);
}

JsonObject LineParser::extras() const {
  JsonObject object;
  for (const auto& [key, element] : state_->extras) object.insert_or_assign(key, to_tree(element));
  return object;
}

void LineParser::append_extras(std::string& out) const {
  if (state_->extras.empty()) return;
  out += '{';
  bool first = true;
  for (const auto& [key, element] : state_->extras) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, key);
    out += ':';
    if (element.type() == dom::element_type::STRING) {
      append_json_string(out, element.get_string().value_unsafe());
    } else {
      out += simdjson::minify(element);
    }
  }
  out += '}';
}

}  // namespace assay
