#include "core/secrets/literal_secrets.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/base64.h"
#include "core/schema/uri.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view kSchemeEnd = "://";
constexpr std::size_t kShortestRandom = 24;
constexpr auto kTelling =
    std::to_array<std::string_view>({"authoriz", "authentic", "api-key", "api_key", "apikey", "secret",
                                     "password", "passwd", "credential", "cookie", "signature"});
constexpr auto kTellingEnds =
    std::to_array<std::string_view>({"key", "token", "auth", "_pwd", "pass", "jwt"});
constexpr auto kTellingAlone = std::to_array<std::string_view>({"code", "sig", "sas"});
// Below these, names are the user's own and values may be secret.
constexpr auto kSendNames = std::to_array<std::string_view>({"headers", "environment", "env", "body", "ddn"});

struct Span {
  std::size_t from = 0;
  std::size_t size = 0;
};
using Spans = std::vector<Span>;

bool is_reference(std::string_view text) {
  return text.contains("${") || (text.starts_with('{') && text.ends_with('}'));
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Names of models and deployments have dashes and dots; a word without them that is this long and mixes
// letters with digits was drawn.
bool looks_random(std::string_view word) {
  return word.size() >= kShortestRandom &&
         std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); }) &&
         std::ranges::any_of(word, is_letter) && std::ranges::count_if(word, is_digit) >= 3;
}

// `sort_key: created_at`: a name of the user's own is no proof, and hiding a common word in every answer
// would spoil them.
bool is_plain_word(std::string_view value) {
  return value.size() < 16 &&
         std::ranges::all_of(value, [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '-'; });
}

// Where the user information ends (at its "@"); nothing if there is none. A password with a raw "/" or "?" is
// no valid URL, but it is a password all the same.
std::optional<std::size_t> user_end(std::string_view url, std::size_t from) {
  const std::size_t authority = std::min(url.find_first_of("/?#", from), url.size());
  const std::size_t within = url.substr(0, authority).rfind('@');
  if (within != std::string_view::npos && within >= from) return within;
  // Not those of an address such as [::1].
  const std::size_t host =
      url.substr(from).starts_with('[') ? std::min(url.find(']', from), authority) : from;
  const std::size_t colon = url.substr(0, authority).find(':', host);
  const std::size_t later = url.rfind('@');
  const bool port = colon == std::string_view::npos ||
                    std::ranges::all_of(url.substr(colon + 1, authority - colon - 1), is_digit);
  if (port || later == std::string_view::npos || later < from) return std::nullopt;
  return later;
}

void add_words(std::string_view url, std::size_t from, std::size_t end, Spans& spans) {
  while (from < end) {
    const std::size_t stop = std::min(url.find('/', from), end);
    const std::string_view word = url.substr(from, stop - from);
    if (word == kHiddenMark || looks_random(word) || (word.starts_with("sk-") && word.size() >= 10))
      spans.push_back({from, word.size()});
    from = stop + 1;
  }
}

void add_parameters(std::string_view url, std::size_t from, std::size_t end, Spans& spans) {
  while (from < end) {
    const std::size_t stop = std::min(url.find('&', from), end);
    const std::size_t equals = std::min(url.find('=', from), stop);
    if (equals < stop) {
      const std::string_view value = url.substr(equals + 1, stop - equals - 1);
      const std::string_view name = url.substr(from, equals - from);
      if (names_secret(schema::percent_decode(name).value_or(std::string(name))) || looks_random(value))
        spans.push_back({equals + 1, value.size()});
    }
    from = stop + 1;
  }
}

struct UrlSecrets {
  Span user;  // all of it
  Spans secret;
};

UrlSecrets secrets_in(std::string_view url) {
  UrlSecrets found;
  const std::size_t scheme = url.find(kSchemeEnd);
  std::size_t from = scheme == std::string_view::npos ? 0 : scheme + kSchemeEnd.size();
  if (const auto at = user_end(url, from)) {
    found.user = {from, *at - from};
    const std::size_t colon = std::min(url.substr(0, *at).find(':', from), *at);
    // Alone it is a token for a web server, and a name for a database.
    const bool name = url.starts_with("postgres://") || url.starts_with("postgresql://");
    const std::size_t start = colon < *at ? colon + 1 : name ? *at : from;
    found.secret.push_back({start, *at - start});
    from = *at + 1;
  }
  const std::size_t fragment = std::min(url.find('#', from), url.size());
  const std::size_t question = std::min(url.find('?', from), fragment);
  add_words(url, std::min(url.find('/', from), question), question, found.secret);
  add_parameters(url, question + 1, fragment, found.secret);
  std::erase_if(found.secret, [&](const Span& span) {
    return span.size == 0 || is_reference(url.substr(span.from, span.size));
  });
  return found;
}

// A text of a config that is one URL. A proxy may be written without its scheme.
bool is_url(std::string_view name, std::string_view text) {
  const std::size_t scheme = text.find(kSchemeEnd);
  if (scheme == std::string_view::npos || scheme == 0) return name == "proxy" && text.contains('@');
  return std::ranges::all_of(
             text.substr(0, scheme),
             [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '.' || c == '-'; }) &&
         std::ranges::none_of(text, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
}

// "Bearer abc": the word before the secret says how it is used.
Span value_span(std::string_view text) {
  const std::size_t space = text.find(' ');
  const bool scheme =
      space != std::string_view::npos && space > 0 && std::ranges::all_of(text.substr(0, space), is_letter);
  const std::size_t from = scheme ? space + 1 : 0;
  return {from, text.size() - from};
}

struct Place {
  std::string_view name;  // of the member
  bool sent = false;      // below one of kSendNames
};

Spans spans_in(const Place& place, std::string_view text) {
  if (place.sent && names_secret(place.name)) {
    const Span span = value_span(text);
    return span.size == 0 || is_reference(text) ? Spans{} : Spans{span};
  }
  return is_url(place.name, text) ? secrets_in(text).secret : Spans{};
}

std::string marked(std::string_view text, const Spans& spans) {
  std::string shown;
  std::size_t at = 0;
  for (const Span& span : spans) {
    shown += text.substr(at, span.from - at);
    shown += kHiddenMark;
    at = span.from + span.size;
  }
  shown += text.substr(at);
  return shown;
}

std::string pointer_step(std::string_view name) {
  std::string step = "/";
  for (const char c : name) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return step;
}

// Each text that holds secrets, with its place.
using Visit =
    std::function<void(const std::string& pointer, const Place& place, Json& text, const Spans& spans)>;

void visit_secrets(Json& value, const std::string& pointer, const Place& place, const Visit& visit) {
  if (value.is_string()) {
    const std::string text(value.get_string());
    if (const Spans spans = spans_in(place, text); !spans.empty()) visit(pointer, place, value, spans);
  } else if (JsonArray* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      visit_secrets((*list)[i], fmt::format("{}/{}", pointer, i), place, visit);
  } else if (JsonObject* object = value.if_object()) {
    for (auto& member : *object) {
      const std::string_view name = member.key();
      const bool sent = place.sent || std::ranges::find(kSendNames, name) != kSendNames.end();
      visit_secrets(member.value(), pointer + pointer_step(name), {name, sent}, visit);
    }
  }
}

void add_forms(std::string_view secret, Secrets& secrets) {
  secrets.add(secret);
  if (const auto decoded = schema::percent_decode(secret)) secrets.add(*decoded);
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::string lower = lower_ascii(name);
  // The name of a variable is no secret: api_key_env.
  if (lower.ends_with("_env")) return false;
  return std::ranges::find(kTellingAlone, lower) != kTellingAlone.end() ||
         std::ranges::any_of(kTelling, [&](std::string_view word) { return lower.contains(word); }) ||
         std::ranges::any_of(kTellingEnds, [&](std::string_view word) { return lower.ends_with(word); });
}

std::string url_without_secrets(std::string_view url) {
  return marked(url, secrets_in(url).secret);
}

void add_url_secrets(std::string_view url, Secrets& secrets) {
  const UrlSecrets found = secrets_in(url);
  for (const Span& span : found.secret) add_forms(url.substr(span.from, span.size), secrets);
  const std::string_view user = url.substr(found.user.from, found.user.size);
  // What libcurl makes of it: Authorization: Basic …
  if (user.contains(':') && !is_reference(user))
    secrets.add(base64(schema::percent_decode(user).value_or(std::string(user))));
}

Json without_secrets(const Json& config) {
  Json shown = config;
  visit_secrets(shown, "", {}, [](const std::string&, const Place&, Json& text, const Spans& spans) {
    text = boost::json::string(marked(text.get_string(), spans));
  });
  return shown;
}

void add_secrets_of(const Json& config, Secrets& secrets) {
  Json copy = config;
  visit_secrets(copy, "", {},
                [&](const std::string&, const Place& place, const Json& text, const Spans& spans) {
                  const std::string_view whole = text.get_string();
                  if (is_url(place.name, whole)) return add_url_secrets(whole, secrets);
                  for (const Span& span : spans) {
                    const std::string_view value = whole.substr(span.from, span.size);
                    if (!is_plain_word(value)) add_forms(value, secrets);
                  }
                });
}

bool has_secrets(const Json& config) {
  return without_secrets(config) != config;
}

Json with_secrets_of(const Json& config, const Json& original) {
  Json filled = config;
  const Json hidden = without_secrets(original);
  visit_secrets(filled, "", {}, [&](const std::string& pointer, const Place&, Json& text, const Spans&) {
    const Json* marked_there = find_pointer(hidden, pointer);
    if (marked_there != nullptr && *marked_there == text) text = *find_pointer(original, pointer);
  });
  return filled;
}

std::vector<std::string> still_hidden(const Json& config) {
  std::vector<std::string> pointers;
  Json copy = config;
  visit_secrets(
      copy, "", {}, [&](const std::string& pointer, const Place&, const Json& text, const Spans& spans) {
        const std::string_view whole = text.get_string();
        if (std::ranges::any_of(
                spans, [&](const Span& span) { return whole.substr(span.from, span.size) == kHiddenMark; }))
          pointers.push_back(pointer);
      });
  return pointers;
}

}  // namespace assay
