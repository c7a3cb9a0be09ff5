#include "core/json/jsonl.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
// After a jump only some lines around are wanted.
constexpr std::size_t kSmallChunk = std::size_t{1} << 16;
constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING;

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

}  // namespace

// The unread part of the file is buffer[begin, end); the buffer always has room for padding behind `end`.
struct LineReader::State {
  std::string path;
  int fd = -1;
  std::size_t max_line = 0;
  std::vector<char> buffer;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t chunk = kChunk;
  bool at_end = false;
  std::uint64_t line_number = 0;
  std::uint64_t consumed = 0;     // bytes before buffer[begin]
  std::uint64_t line_begins = 0;  // of the line given last

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (fd >= 0) ::close(fd);
  }

  Status fill() {
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end + kChunk + kPadding > buffer.size())
      buffer.resize(std::max(buffer.size() * 2, end + kChunk + kPadding));
    for (;;) {
      const ssize_t got = ::read(fd, buffer.data() + end, chunk);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail(file_error(path, "read", errno));
      at_end = got == 0;
      end += static_cast<std::size_t>(got);
      return {};
    }
  }
};

LineReader::LineReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path, std::size_t max_line) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->max_line = max_line;
  state->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state->fd < 0) return fail(file_error(path, "open", errno));
  struct stat info{};
  if (::fstat(state->fd, &info) == 0 && S_ISDIR(info.st_mode)) return fail(file_error(path, "read", EISDIR));
  state->buffer.resize(2 * kChunk + kPadding);
  if (auto filled = state->fill(); !filled) return fail(std::move(filled.error()));
  if (state->end >= 3 && std::memcmp(state->buffer.data(), "\xEF\xBB\xBF", 3) == 0) {
    state->begin = 3;
    state->consumed = 3;
  }
  return LineReader(std::move(state));
}

Result<std::optional<Line>> LineReader::next() {
  State& s = *state_;
  for (;;) {
    std::size_t searched = 0;
    const char* newline = nullptr;
    for (;;) {
      const char* from = s.buffer.data() + s.begin + searched;
      newline = static_cast<const char*>(std::memchr(from, '\n', s.end - s.begin - searched));
      if (newline != nullptr || s.at_end) break;
      searched = s.end - s.begin;
      if (searched > s.max_line) {
        return fail(Error{
            ErrorKind::data,
            fmt::format("the line is longer than {} bytes; is this one JSON object per line?", s.max_line),
            {{"file", s.path}, {"line", std::to_string(s.line_number + 1)}}});
      }
      if (auto filled = s.fill(); !filled) return fail(std::move(filled.error()));
    }
    const std::size_t length = newline != nullptr
                                   ? static_cast<std::size_t>(newline - (s.buffer.data() + s.begin))
                                   : s.end - s.begin;
    if (length == 0 && newline == nullptr) return std::nullopt;
    std::string_view text(s.buffer.data() + s.begin, length);
    const std::size_t used = length + (newline != nullptr ? 1 : 0);
    s.begin += used;
    s.line_begins = s.consumed;
    s.consumed += used;
    ++s.line_number;
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    if (!blank(text)) return Line{text, s.line_number};
  }
}

LinePlace LineReader::place() const {
  return {state_->line_begins, state_->line_number};
}

Status LineReader::go_to(const LinePlace& place) {
  State& s = *state_;
  s.line_number = place.number - 1;
  // Often it is in the buffer already.
  const std::uint64_t buffered_from = s.consumed - s.begin;
  if (place.offset >= buffered_from && place.offset <= buffered_from + s.end) {
    s.begin = static_cast<std::size_t>(place.offset - buffered_from);
    s.consumed = place.offset;
    return {};
  }
  if (::lseek(s.fd, static_cast<off_t>(place.offset), SEEK_SET) < 0)
    return fail(file_error(s.path, "seek in", errno));
  s.begin = 0;
  s.end = 0;
  s.at_end = false;
  s.chunk = kSmallChunk;
  s.consumed = place.offset;
  return {};
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

std::string not_json_words(std::string_view line, const Error& error) {
  Error inside = error;
  std::erase_if(inside.context, [](const auto& entry) { return entry.first == "line"; });
  std::string words = "not JSON: " + inside.text();
  const std::string_view text = trim(line);
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
      reason = strict ? std::string("not JSON") : not_json_words(line.text, strict.error());
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
