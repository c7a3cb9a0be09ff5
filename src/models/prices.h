// What a call costs. Prices are USD per million tokens, as providers list them, and come from the
// configuration; none is built in but zero for the simulator, since a price that is out of date is worse than
// none. All sums are exact: whole picodollars, no rounding anywhere.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"

namespace assay {

// An amount of money, never negative. Saturates at 9.2 million dollars.
struct Cost {
  std::int64_t picodollars = 0;
  Cost& operator+=(Cost other);
  auto operator<=>(const Cost&) const = default;
  double usd() const { return static_cast<double>(picodollars) / 1e12; }
};
Cost operator+(Cost a, Cost b);
// "0.00015" → exactly that amount. Kind config if it is no amount, negative, or finer than a picodollar.
Result<Cost> parse_usd(std::string_view text);
std::string usd_text(Cost cost);  // exact, "0.000375"

// Picodollars per token are millionths of a dollar per million tokens.
// How a call is asked for: by itself, or in a batch, which providers give for less.
enum class Tariff { usual, batch };

inline constexpr std::int64_t kBatchShare = 500'000;

struct Price {
  std::int64_t prompt = 0;
  std::int64_t completion = 0;
  std::int64_t cached = 0;           // for prompt tokens read from the provider's cache
  std::int64_t cache_write = 0;      // for prompt tokens written to it
  std::int64_t batch = kBatchShare;  // in a batch, millionths of each of these
  bool cached_is_guessed =
      false;  // nobody gave `cached`: it is that of the prompt, where that costs anything
  bool operator==(const Price&) const = default;
};

// In a batch each price of a token is rounded to whole picodollars, halves up.
Cost cost_of(const Usage& usage, const Price& price, Tariff tariff = Tariff::usual);

class Prices {
 public:
  Prices();

  // The `prices:` map of the configuration: model (alias, "provider/name", the name alone, or any of these
  // with *) → {prompt, completion, cached, cache_write} in USD per million tokens, as numbers or text, and
  // `batch`, the share of these that a call in a batch costs (0.5).
  // `cached` and `cache_write` cost as `prompt` if they are left out. Errors of kind config name the model
  // and the key.
  static Result<Prices> from_json(const Json& map);

  // The exact name counts before patterns, and a more specific pattern before others. None: no price is
  // known.
  const Price* find(std::string_view model) const;
  // None if there is no price: unknown is not free.
  std::optional<Cost> cost(const Usage& usage, std::string_view model) const;

 private:
  struct Entry {
    std::string pattern;
    Price price;
  };
  std::vector<Entry> entries_;  // more specific first
};

}  // namespace assay
