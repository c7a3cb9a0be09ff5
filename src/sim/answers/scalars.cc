#include "sim/answers/scalars.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/pattern.h"

namespace assay::sim {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53: whole doubles up to here are exact
constexpr std::size_t kLongestText = 1 << 20;

const std::vector<std::string>& stock_words() {
  static const std::vector<std::string> kWords = {"general", "result", "detail", "case",
                                                  "part",    "clear",  "short",  "summary",
                                                  "note",    "common", "simple", "point"};
  return kWords;
}

// A decimal as mantissa · 10^-places, exact for the numbers that people write.
struct Decimal {
  std::int64_t mantissa = 0;
  int places = 0;
};

std::optional<Decimal> decimal(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr;
  std::string digits;
  int places = 0;
  bool fraction = false;
  for (const char* at = buffer; at != end; ++at) {
    if (*at == '.') {
      fraction = true;
    } else {
      digits += *at;
      places += fraction ? 1 : 0;
    }
  }
  if (digits.size() > 15 || places > 15) return std::nullopt;
  Decimal out{0, places};
  std::from_chars(digits.data(), digits.data() + digits.size(), out.mantissa);
  return out;
}

Json number_json(double value) {
  if (std::trunc(value) == value && std::fabs(value) <= kExact) return static_cast<std::int64_t>(value);
  return value;
}

struct Range {
  double low;
  double high;
};

Range bounds(const Shape& shape) {
  if (shape.least && shape.most) return {*shape.least, *shape.most};
  if (shape.least) return {*shape.least, *shape.least + std::max(100.0, std::fabs(*shape.least))};
  if (shape.most) return {*shape.most - std::max(100.0, std::fabs(*shape.most)), *shape.most};
  return {0, 100};
}

bool inside(const Shape& shape, double value) {
  if (shape.least && (value < *shape.least || (shape.above_least && value == *shape.least))) return false;
  if (shape.most && (value > *shape.most || (shape.below_most && value == *shape.most))) return false;
  return std::isfinite(value);
}

// The common step of all `multipleOf` as a decimal: the least common multiple of the mantissas.
std::optional<Decimal> common_step(const std::vector<double>& multiples, bool whole) {
  Decimal step{1, 0};
  bool first = !whole;
  for (const double multiple : multiples) {
    auto next = decimal(multiple);
    if (!next || next->mantissa == 0) return std::nullopt;
    while (next->places < step.places) next->mantissa *= 10, ++next->places;
    while (step.places < next->places) step.mantissa *= 10, ++step.places;
    if (first) {
      step.mantissa = next->mantissa;
    } else {
      const std::int64_t divisor = std::gcd(step.mantissa, next->mantissa);
      if (step.mantissa / divisor > static_cast<std::int64_t>(kExact) / next->mantissa) return std::nullopt;
      step.mantissa = step.mantissa / divisor * next->mantissa;
    }
    first = false;
  }
  return step;
}

std::optional<Json> make_multiple(const Shape& shape, bool whole, Chance& chance) {
  const auto step = common_step(shape.multiples, whole);
  if (!step) return Json(0);  // a multiple of everything; whether 0 is in bounds is for the check to say
  const double scale = std::pow(10.0, step->places);
  const double size = static_cast<double>(step->mantissa) / scale;
  Range range = bounds(shape);
  if (!shape.least && !shape.most) range = {0, 20 * size};
  if (!shape.most) range.high = std::max(range.high, range.low + 4 * size);
  if (!shape.least) range.low = std::min(range.low, range.high - 4 * size);
  double first = std::ceil(range.low / size);
  double last = std::floor(range.high / size);
  const auto value = [&](double count) { return count * static_cast<double>(step->mantissa) / scale; };
  if (!(std::fabs(first) <= kExact && std::fabs(last) <= kExact)) return std::nullopt;
  // An exclusive bound or a rounding costs one step at each end.
  for (int i = 0; i < 2 && first <= last && !inside(shape, value(first)); ++i) first += 1;
  for (int i = 0; i < 2 && first <= last && !inside(shape, value(last)); ++i) last -= 1;
  if (first > last) return std::nullopt;
  const double count =
      first +
      static_cast<double>(chance.below(static_cast<std::uint64_t>(std::min(last - first + 1, kExact))));
  return number_json(value(count));
}

std::optional<Json> make_whole(const Shape& shape, Chance& chance) {
  const Range range = bounds(shape);
  double first = std::ceil(range.low);
  double last = std::floor(range.high);
  // Beyond 2^53 the next whole number is the next double.
  if (first <= last && !inside(shape, first)) first = std::max(first + 1, std::nextafter(first, last));
  if (first <= last && !inside(shape, last)) last = std::min(last - 1, std::nextafter(last, first));
  if (!(first <= last) || !inside(shape, first)) return std::nullopt;
  const double count = std::min(last - first + 1, kExact);
  return number_json(first + static_cast<double>(chance.below(static_cast<std::uint64_t>(count))));
}

std::optional<Json> make_fraction(const Shape& shape, Chance& chance) {
  const Range range = bounds(shape);
  for (int attempt = 0; attempt < 8; ++attempt) {
    const double value = range.low + chance.unit() * (range.high - range.low);
    const double rounded = std::round(value * 100) / 100;
    if (inside(shape, rounded)) return number_json(rounded);
    if (inside(shape, value)) return number_json(value);
  }
  for (const double value : {range.low, range.high, (range.low + range.high) / 2}) {
    if (inside(shape, value)) return number_json(value);
  }
  return std::nullopt;
}

using Maker = std::string (*)(Chance&);
struct Format {
  std::string_view name;
  Maker make;
};

std::string hex_digits(Chance& chance, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += "0123456789abcdef"[chance.below(16)];
  return out;
}

std::string make_date(Chance& chance) {
  return fmt::format("{:04}-{:02}-{:02}", 2015 + chance.below(12), 1 + chance.below(12),
                     1 + chance.below(28));
}

std::string make_clock(Chance& chance) {
  return fmt::format("{:02}:{:02}:{:02}Z", chance.below(24), chance.below(60), chance.below(60));
}

std::string make_uuid(Chance& chance) {
  return fmt::format("{}-{}-4{}-{}{}-{}", hex_digits(chance, 8), hex_digits(chance, 4), hex_digits(chance, 3),
                     "89ab"[chance.below(4)], hex_digits(chance, 3), hex_digits(chance, 12));
}

std::string stock(Chance& chance) {
  return chance.pick(stock_words());
}

constexpr std::array<Format, 20> kFormats = {{
    {"date-time", [](Chance& chance) { return make_date(chance) + "T" + make_clock(chance); }},
    {"date", make_date},
    {"time", make_clock},
    {"duration",
     [](Chance& chance) { return fmt::format("P{}DT{}H", 1 + chance.below(9), chance.below(24)); }},
    {"email", [](Chance& chance) { return stock(chance) + "@example.com"; }},
    {"idn-email", [](Chance& chance) { return stock(chance) + "@example.com"; }},
    {"hostname", [](Chance& chance) { return stock(chance) + ".example.com"; }},
    {"idn-hostname", [](Chance& chance) { return stock(chance) + ".example.com"; }},
    {"ipv4", [](Chance& chance) { return fmt::format("192.0.2.{}", chance.below(255)); }},
    {"ipv6", [](Chance& chance) { return "2001:db8::" + fmt::format("{:x}", 1 + chance.below(65535)); }},
    {"uri", [](Chance& chance) { return "https://example.com/" + stock(chance); }},
    {"iri", [](Chance& chance) { return "https://example.com/" + stock(chance); }},
    {"uri-reference", [](Chance& chance) { return "/" + stock(chance); }},
    {"iri-reference", [](Chance& chance) { return "/" + stock(chance); }},
    {"uri-template", [](Chance& chance) { return "https://example.com/" + stock(chance) + "/{id}"; }},
    {"uuid", make_uuid},
    {"json-pointer", [](Chance& chance) { return "/" + stock(chance) + "/0"; }},
    {"relative-json-pointer", [](Chance& chance) { return "1/" + stock(chance); }},
    {"regex", [](Chance& chance) { return "^" + stock(chance) + "$"; }},
    {"phone", [](Chance& chance) { return fmt::format("+44 20 7946 0{:03}", chance.below(1000)); }},
}};

std::string capitalised(std::string word) {
  if (!word.empty() && word[0] >= 'a' && word[0] <= 'z') word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

// What a property's name says about its text, looked for as a whole word of the name.
struct NamedText {
  std::string_view word;
  std::string_view format;
};
constexpr NamedText kNamedTexts[] = {{"email", "email"},
                                     {"url", "uri"},
                                     {"uri", "uri"},
                                     {"link", "uri"},
                                     {"date", "date"},
                                     {"day", "date"},
                                     {"timestamp", "date-time"},
                                     {"datetime", "date-time"},
                                     {"uuid", "uuid"},
                                     {"guid", "uuid"},
                                     {"phone", "phone"},
                                     {"telephone", "phone"},
                                     {"hostname", "hostname"},
                                     {"ip", "ipv4"}};

bool has_word(std::string_view name, std::string_view word) {
  const std::string lower = lower_ascii(name);
  for (auto at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
    const auto letter = [&](std::size_t i) { return i < lower.size() && lower[i] >= 'a' && lower[i] <= 'z'; };
    if ((at == 0 || !letter(at - 1)) && !letter(at + word.size())) return true;
  }
  return false;
}

std::optional<std::string> formatted(std::string_view format, Chance& chance) {
  const auto* found = std::ranges::find(kFormats, format, &Format::name);
  if (found == kFormats.end()) return std::nullopt;
  return found->make(chance);
}

bool fits(const Shape& shape, std::string_view text) {
  const std::size_t length = count_code_points(text);
  return length >= shape.min_length && length <= shape.max_length;
}

std::optional<std::string> patterned(const Shape& shape, Chance& chance) {
  const auto pattern = TextPattern::parse(chance.pick(shape.patterns));
  if (!pattern) return std::nullopt;
  std::string made;
  for (std::size_t attempt = 0; attempt < 24; ++attempt) {
    // Start with short texts; reach for the least length asked for as attempts go by.
    const std::size_t stretch = 3 + (attempt < 4 ? 0 : std::min(shape.min_length, kLongestText) + attempt);
    made = pattern->make(chance, stretch);
    std::size_t length = count_code_points(made);
    while (length < shape.min_length && length < kLongestText &&
           (pattern->open_end() || pattern->open_start())) {
      pattern->open_end() ? made.push_back('a') : void(made.insert(made.begin(), 'a'));
      ++length;
    }
    if (fits(shape, made)) return made;
  }
  return std::nullopt;
}

std::string prose(const Shape& shape, std::string_view name, std::span<const std::string> words,
                  Chance& chance) {
  for (const std::string_view short_name :
       {"name", "title", "label", "topic", "category", "city", "country", "key"}) {
    if (!has_word(name, short_name)) continue;
    return words.size() > 1 && has_word(name, "title")
               ? capitalised(chance.pick(words)) + " " + chance.pick(words)
               : capitalised(chance.pick(words));
  }
  if (has_word(name, "id")) return fmt::format("{}-{}", chance.pick(words), 1 + chance.below(99));
  if (shape.max_length < 24) return chance.pick(words);
  const bool query = has_word(name, "query") || has_word(name, "search") || has_word(name, "keywords");
  const std::size_t count = chance.between(3, query ? 4 : 8);
  if (!query) return make_sentence(words, count, chance);
  std::string out = chance.pick(words);
  for (std::size_t i = 1; i < count; ++i) out += " " + chance.pick(words);
  return out;
}

}  // namespace

std::string make_sentence(std::span<const std::string> words, std::size_t count, Chance& chance) {
  const std::span<const std::string> source =
      words.empty() ? std::span<const std::string>(stock_words()) : words;
  std::string out = capitalised(source[chance.below(source.size())]);
  for (std::size_t i = 1; i < count; ++i) out += " " + source[chance.below(source.size())];
  return out + ".";
}

std::optional<Json> make_number(const Shape& shape, Chance& chance) {
  const bool whole_allowed = (shape.types & kWhole) != 0;
  const bool fraction_allowed = (shape.types & kFraction) != 0;
  if (!shape.multiples.empty()) return make_multiple(shape, !fraction_allowed, chance);
  const Range range = bounds(shape);
  const bool narrow = range.high - range.low <= 2;
  if (whole_allowed && (!fraction_allowed || (!narrow && chance.happens(0.5)))) {
    if (auto made = make_whole(shape, chance)) return made;
  }
  return fraction_allowed ? make_fraction(shape, chance) : std::nullopt;
}

std::optional<std::string> make_text(const Shape& shape, std::string_view name,
                                     std::span<const std::string> words, Chance& chance) {
  if (shape.min_length > shape.max_length || shape.min_length > kLongestText) return std::nullopt;
  if (!shape.patterns.empty()) return patterned(shape, chance);
  for (const std::string_view format : shape.formats) {
    if (auto made = formatted(format, chance); made && fits(shape, *made)) return made;
  }
  for (const NamedText& named : kNamedTexts) {
    if (!has_word(name, named.word)) continue;
    if (auto made = formatted(named.format, chance); made && fits(shape, *made)) return made;
  }
  const std::span<const std::string> source =
      words.empty() ? std::span<const std::string>(stock_words()) : words;
  std::string text = prose(shape, name, source, chance);
  std::size_t length = count_code_points(text);
  while (length < shape.min_length) {
    const std::string& word = source[chance.below(source.size())];
    text += " " + word;
    length += 1 + count_code_points(word);
  }
  while (length > shape.max_length) {  // whole characters from the end
    text.resize(cut(text, text.size() - 1).size());
    --length;
  }
  return text;
}

}  // namespace assay::sim
