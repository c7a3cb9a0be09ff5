#include "models/prices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "core/text.h"
#include "models/structured/pattern.h"

namespace assay {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr int kDollarDigits = 12;  // picodollars in a dollar
constexpr int kMillionDigits = 6;  // USD per million tokens → picodollars per token

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A decimal number times 10^digits, exactly; none if it is not a whole number then, negative or too large.
std::optional<std::int64_t> scaled(std::string_view text, int digits) {
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [stop, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc() || stop != power.data() + power.size() || exponent < -400 || exponent > 400) {
      return std::nullopt;
    }
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || !std::ranges::all_of(whole, is_digit) || !std::ranges::all_of(fraction, is_digit) ||
      (point != std::string_view::npos && fraction.empty())) {
    return std::nullopt;
  }
  std::string number = fmt::format("{}{}", whole, fraction);
  int shift = digits + exponent - static_cast<int>(fraction.size());
  while (shift < 0 && number.ends_with('0')) {
    number.pop_back();
    ++shift;
  }
  number.erase(0, number.find_first_not_of('0'));
  if (number.empty()) return 0;
  if (shift < 0 || number.size() + static_cast<std::size_t>(shift) > 19) return std::nullopt;
  number.append(static_cast<std::size_t>(shift), '0');
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::int64_t times(std::int64_t tokens, std::int64_t price) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(std::max<std::int64_t>(0, tokens), price, &product) ? kMost : product;
}

Result<std::int64_t> price_from(const Json& value, const std::string& model, std::string_view key) {
  // A number is taken as it was written: 0.15 means 0.15, not the double beside it.
  std::string text;
  if (const auto written = as_text(value)) {
    text = trim(*written);
  } else if (const auto number = as_number(value)) {
    text = as_integer(value) ? std::to_string(*as_integer(value)) : number_text(*number);
  }
  const auto price = scaled(text, kMillionDigits);
  if (price) return *price;
  return fail(Error{ErrorKind::config,
                    fmt::format("found {}, expected USD per million tokens, such as 0.15", excerpt(value)),
                    {{"key", fmt::format("prices.{}.{}", model, key)}}});
}

}  // namespace

Cost& Cost::operator+=(Cost other) {
  if (__builtin_add_overflow(picodollars, other.picodollars, &picodollars)) picodollars = kMost;
  return *this;
}

Cost operator+(Cost a, Cost b) {
  return a += b;
}

Result<Cost> parse_usd(std::string_view text) {
  if (const auto amount = scaled(trim(text), kDollarDigits)) return Cost{*amount};
  return fail(ErrorKind::config, fmt::format("found \"{}\", expected an amount in USD, such as 2.50", text));
}

std::string usd_text(Cost cost) {
  std::string text = fmt::format("{:013}", cost.picodollars);
  text.insert(text.size() - kDollarDigits, ".");
  const std::size_t least = text.find('.') + 2;  // cents are always shown
  while (text.size() > least + 1 && text.ends_with('0')) text.pop_back();
  return text;
}

namespace {

// A price of a token in a batch.
std::int64_t batch_price(std::int64_t price, std::int64_t millionths) {
  constexpr std::int64_t kWhole = 1'000'000;
  const auto share = static_cast<__int128>(price) * millionths;
  return static_cast<std::int64_t>(std::min<__int128>((share + kWhole / 2) / kWhole, kMost));
}

}  // namespace

Cost cost_of(const Usage& usage, const Price& usual, Tariff tariff) {
  Price price = usual;
  if (tariff == Tariff::batch) {
    for (std::int64_t* one : {&price.prompt, &price.completion, &price.cached, &price.cache_write})
      *one = batch_price(*one, usual.batch);
  }
  const std::int64_t special =
      (Usage{.prompt_tokens = usage.cached_tokens} += Usage{.prompt_tokens = usage.cache_write_tokens})
          .prompt_tokens;
  Cost cost{times(usage.prompt_tokens - std::min(usage.prompt_tokens, special), price.prompt)};
  cost += Cost{times(usage.cached_tokens, price.cached)};
  cost += Cost{times(usage.cache_write_tokens, price.cache_write)};
  cost += Cost{times(usage.completion_tokens, price.completion)};
  return cost;
}

Prices::Prices() {
  entries_.push_back({"sim/*", Price{}});
}

Result<Prices> Prices::from_json(const Json& map) {
  Prices prices;
  if (map.is_null()) return prices;
  if (!map.is_object()) {
    return fail(Error{
        ErrorKind::config, fmt::format("found {}, expected an object", kind_word(map)), {{"key", "prices"}}});
  }
  std::vector<Entry> own;
  for (const auto& member : map.get_object()) {
    const std::string model(member.key());
    const auto wrong = [&](std::string_view key, std::string message) {
      return fail(Error{ErrorKind::config,
                        std::move(message),
                        {{"key", key.empty() ? fmt::format("prices.{}", model)
                                             : fmt::format("prices.{}.{}", model, key)}}});
    };
    if (!member.value().is_object()) {
      return wrong("", fmt::format("found {}, expected prompt and completion", kind_word(member.value())));
    }
    constexpr std::array<std::string_view, 5> keys{"prompt", "completion", "cached", "cache_write", "batch"};
    std::array<std::optional<std::int64_t>, 5> values;
    for (const auto& item : member.value().get_object()) {
      const auto key = std::ranges::find(keys, std::string_view(item.key()));
      if (key == keys.end()) {
        return wrong(item.key(), "unknown key; known: prompt, completion, cached, cache_write, batch");
      }
      if (item.value().is_null()) continue;
      const auto price = price_from(item.value(), model, *key);
      if (!price) return fail(price.error());
      values[static_cast<std::size_t>(key - keys.begin())] = *price;
    }
    for (const std::size_t needed : {0U, 1U}) {
      if (!values[needed]) return wrong(keys[needed], "missing");
    }
    own.push_back({model,
                   {*values[0], *values[1], values[2].value_or(*values[0]), values[3].value_or(*values[0]),
                    values[4].value_or(kBatchShare), !values[2] && *values[0] > 0}});
  }
  std::ranges::sort(own, [](const Entry& a, const Entry& b) {
    return std::tuple(literal_length(b.pattern), a.pattern) <
           std::tuple(literal_length(a.pattern), b.pattern);
  });
  prices.entries_.insert(prices.entries_.begin(), own.begin(), own.end());
  return prices;
}

const Price* Prices::find(std::string_view model) const {
  const std::size_t slash = model.find('/');
  const std::string_view name = slash == std::string_view::npos ? model : model.substr(slash + 1);
  for (const auto& wanted : {model, name}) {
    const auto exact = std::ranges::find(entries_, wanted, &Entry::pattern);
    if (exact != entries_.end()) return &exact->price;
  }
  for (const auto& entry : entries_) {
    if (matches_pattern(entry.pattern, model) || matches_pattern(entry.pattern, name)) return &entry.price;
  }
  return nullptr;
}

std::optional<Cost> Prices::cost(const Usage& usage, std::string_view model) const {
  const Price* price = find(model);
  return price == nullptr ? std::nullopt : std::optional(cost_of(usage, *price));
}

}  // namespace assay
