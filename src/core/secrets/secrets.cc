#include "core/secrets/secrets.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t kShortest = 4;
constexpr std::size_t kShortestAnywhere = 6;
constexpr std::size_t kPiece = 8;
constexpr std::string_view kKeyStart = "sk-";
constexpr std::size_t kShortestKeyLike = 10;
// Of local servers' manuals.
constexpr auto kPlaceholders = std::to_array<std::string_view>(
    {"anything",     "api-key",   "api_key", "apikey",          "default",     "dummy",
     "empty",        "fake",      "ignored", "llama",           "lm-studio",   "lmstudio",
     "local",        "localhost", "no-key",  "no-key-required", "none",        "not-needed",
     "not-required", "null",      "ollama",  "openai",          "placeholder", "sk-no-key-required",
     "unused",       "vllm"});

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_word_character(char c) {
  return is_name_character(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_word_character(text[at - 1]);
}

bool is_word(std::string_view text, std::size_t at, std::size_t size) {
  return begins_word(text, at) && (at + size == text.size() || !is_word_character(text[at + size]));
}

// The longest part of `value` of at least `least` characters that `text` starts with; 0 if there is none.
std::size_t longest_piece(std::string_view text, std::string_view value, std::size_t least) {
  std::size_t longest = 0;
  for (std::size_t from = 0; from + least <= value.size(); ++from) {
    const auto [end, unused] = std::ranges::mismatch(text, value.substr(from));
    longest = std::max(longest, static_cast<std::size_t>(end - text.begin()));
  }
  return longest >= least ? longest : 0;
}

// OpenAI repeats a wrong key with most of it starred ("sk-ab***yz"); another server may repeat all of it.
std::size_t key_like(std::string_view text) {
  if (!text.starts_with(kKeyStart)) return 0;
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return is_name_character(c) || c == '-' || c == '*' || c == '.'; });
  const auto length = static_cast<std::size_t>(end - text.begin());
  return length >= kShortestKeyLike ? length : 0;
}

}  // namespace

Secrets::Secrets(const Secrets& other) : mark_(other.mark_) {
  const std::shared_lock guard(other.mutex_);
  values_ = other.values_;
}

bool Secrets::empty() const {
  const std::shared_lock guard(mutex_);
  return values_.empty();
}

void Secrets::add(std::string_view value) {
  const std::string_view bare = trim(value);
  const std::unique_lock guard(mutex_);
  if (bare.size() < kShortest || std::ranges::find(values_, bare) != values_.end()) return;
  if (std::ranges::find(kPlaceholders, lower_ascii(bare)) != kPlaceholders.end()) return;
  values_.emplace_back(bare);
}

Environment Secrets::noting(Environment inner) {
  return [this, inner = std::move(inner)](std::string_view name) {
    auto value = inner(name);
    if (value) add(*value);
    return value;
  };
}

// How many bytes are hidden from `at` on; of several values the longest.
std::size_t Secrets::whole_at(std::string_view text, std::size_t at) const {
  std::size_t longest = 0;
  for (const std::string& value : values_) {
    if (value.size() <= longest || !text.substr(at).starts_with(value)) continue;
    if (value.size() >= kShortestAnywhere || is_word(text, at, value.size())) longest = value.size();
  }
  return longest;
}

std::size_t Secrets::piece_at(std::string_view text, std::size_t at) const {
  std::size_t longest = std::max(whole_at(text, at), begins_word(text, at) ? key_like(text.substr(at)) : 0);
  for (const std::string& value : values_) {
    longest = std::max(longest, longest_piece(text.substr(at), value, kPiece));
  }
  return longest;
}

template <class Length>
std::string Secrets::replaced(std::string_view text, const Length& length_at) const {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t hidden = length_at(at);
    if (hidden == 0) {
      clean += text[at++];
    } else {
      clean += mark_;
      at += hidden;
    }
  }
  return clean;
}

// Most texts hold none, and searching for each is much quicker than looking at every byte.
bool Secrets::any_in(std::string_view text) const {
  return std::ranges::any_of(values_, [&](const std::string& value) { return text.contains(value); });
}

std::string Secrets::hide(std::string_view text) const {
  const std::shared_lock guard(mutex_);
  if (!any_in(text)) return std::string(text);
  return replaced(text, [&](std::size_t at) { return whole_at(text, at); });
}

Json Secrets::hide_in(const Json& value) const {
  if (empty()) return value;
  switch (value.kind()) {
    case boost::json::kind::string:
      return boost::json::string(hide(value.get_string()));
    case boost::json::kind::array: {
      JsonArray list;
      list.reserve(value.get_array().size());
      for (const Json& item : value.get_array()) list.push_back(hide_in(item));
      return list;
    }
    case boost::json::kind::object: {
      JsonObject object;
      for (const auto& [name, member] : value.get_object())
        object.insert_or_assign(hide(name), hide_in(member));
      return object;
    }
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: {
      const std::string digits = to_text(value);
      std::string hidden = hide(digits);
      if (hidden == digits) return value;
      return boost::json::string(hidden);
    }
    case boost::json::kind::bool_:
    case boost::json::kind::null:
      return value;
  }
  return value;
}

std::string Secrets::hide_pieces(std::string_view text) const {
  const std::shared_lock guard(mutex_);
  return replaced(text, [&](std::size_t at) { return piece_at(text, at); });
}

}  // namespace assay
