#include "models/failure.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/provider.h"
#include "models/windows.h"
#include "net/http/retry_after.h"
#include "net/http/status.h"

namespace assay {
namespace {

constexpr std::size_t kLongestMessage = 300;
constexpr std::size_t kLongestExcerpt = 160;

// A limit that waiting does not lift. Anthropic has no name of its own for an account without credit.
bool out_of_money(const Complaint& complaint) {
  if (complaint.message.contains("credit balance is too low")) return true;
  return std::ranges::any_of(std::array{&complaint.code, &complaint.type}, [](const std::string* word) {
    const ErrorName* known = find_error(*word);
    return known != nullptr && known->used_up;
  });
}

std::optional<Overflow> overflow_in(int status, const std::vector<Complaint>& complaints) {
  if (status != 400 && status != 413 && status != 422 && status != 500) return std::nullopt;
  for (const Complaint& complaint : complaints) {
    if (auto overflow = overflow_of(complaint)) return overflow;
  }
  return std::nullopt;
}

// Google has a word for it, xAI words.
bool wrong_key(const Complaint& complaint) {
  const ErrorName* known = find_error(complaint.code);
  return (known != nullptr && known->status == 401) || complaint.message.starts_with("Incorrect API key");
}

constexpr std::array<std::string_view, 4> kDecliningCodes{"content_filter", "content_policy_violation",
                                                          "bio_policy", "data_inspection_failed"};
// In lower case.
constexpr auto kDecliningPhrases = std::to_array<std::string_view>({
    "content management policy",  // Azure
    "content filtering policy",   // Anthropic
    "usage guidelines",           // xAI
    "violating our usage polic",  // OpenAI
    "input was flagged",          // OpenRouter
    "content exists risk",        // DeepSeek
});

// A filter beside the model declines in its place, whatever the status: OpenRouter and xAI say 403.
bool declined(const Complaint& complaint) {
  const std::string text = lower_ascii(complaint.message);
  return std::ranges::any_of(kDecliningCodes,
                             [&](std::string_view code) { return complaint.code == code; }) ||
         std::ranges::any_of(kDecliningPhrases,
                             [&](std::string_view phrase) { return text.contains(phrase); });
}

bool declined(int status, const std::vector<Complaint>& complaints) {
  return status != 401 && status != 429 &&
         std::ranges::any_of(complaints, [](const Complaint& one) { return declined(one); });
}

// What kind_of_status() does not know: Bedrock's model that stumbled, Groq's tier without room, and a call of
// a tool that Groq could not read, since the model may write it well the next time.
bool may_pass(int status, const std::vector<Complaint>& complaints) {
  return status == 424 || status == 498 ||
         std::ranges::any_of(complaints, [](const Complaint& one) { return one.code == "tool_use_failed"; });
}

ErrorKind kind_of(int status, const std::vector<Complaint>& complaints) {
  if (std::ranges::any_of(complaints, out_of_money)) return ErrorKind::rejected;
  if (overflow_in(status, complaints)) return ErrorKind::context_overflow;
  if (declined(status, complaints)) return ErrorKind::refused;
  if (may_pass(status, complaints)) return ErrorKind::overloaded;
  // Google and xAI call it an argument that is not valid.
  if (status == 400 && std::ranges::any_of(complaints, wrong_key)) return ErrorKind::auth;
  return kind_of_status(status);
}

std::string hint_of(int status, const std::vector<Complaint>& complaints, const Asked& asked) {
  if (std::ranges::any_of(complaints, out_of_money) || status == 402) {
    return "the account's quota or credit is used up";
  }
  if (const auto overflow = overflow_in(status, complaints)) {
    Overflow sizes = *overflow;
    if (!sizes.limit) sizes.limit = asked.window;
    std::string words = overflow_words(sizes);
    if (!sizes.prompt && asked.prompt_tokens)
      words += fmt::format("; it has about {} by our estimate", *asked.prompt_tokens);
    return words;
  }
  if (declined(status, complaints)) return "declined by a content filter";
  if (status == 401 || status == 403 || std::ranges::any_of(complaints, wrong_key)) {
    return fmt::format("{} {}", asked.with_key ? "check" : "no key was sent: set", asked.key_variable);
  }
  if (status == 404) return "check the model's name and the URL";
  if (status == 413) return "the request is too large";
  if (status >= 300 && status < 400) return "the server redirects: check the URL";
  return {};
}

std::string words_of(const std::vector<Complaint>& complaints) {
  std::string words;
  for (const auto& complaint : complaints) {
    if (!words.empty()) words += "; ";
    // FastAPI names the field apart from the message ("Field required").
    if (complaint.parameter.starts_with("body.")) words += complaint.parameter.substr(5) + ": ";
    words += complaint.message;
  }
  return words;
}

ModelFailure refused(int status, std::string_view lead, const std::vector<Complaint>& complaints,
                     const Asked& asked) {
  // Secrets go first: cutting could leave a piece too short to be recognised.
  const std::string words =
      shown(asked.secrets.hide_pieces(cut(words_of(complaints), kLongestMessage * 8)), kLongestMessage);
  std::string message(lead);
  if (const std::string hint = hint_of(status, complaints, asked); !hint.empty()) {
    message += fmt::format(" ({})", hint);
  }
  if (!words.empty()) message += fmt::format(": {}", words);
  return {Error{kind_of(status, complaints), asked.secrets.hide_pieces(message), {}}, std::nullopt};
}

// Google says in the body when to come again: {"error": {"details": [{"retryDelay": "34s"}]}}.
std::optional<std::chrono::milliseconds> retry_delay(std::string_view body) {
  const auto json = parse_json(body);
  const Json* details = json ? find_pointer(*json, "/error/details") : nullptr;
  if (details == nullptr || !details->is_array()) return std::nullopt;
  for (const Json& detail : details->get_array()) {
    const auto delay = parse_duration(text_at(detail, "retryDelay"));
    if (delay)
      return std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*delay), std::chrono::milliseconds(0),
                        std::chrono::milliseconds(std::chrono::hours(24)));
  }
  return std::nullopt;
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
  std::string line;
  // Foreign text may be megabytes; more than this is cut away below anyhow.
  for (const char c : repair_utf8(cut(text, limit * 4))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte != 0x7F) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return shorten(trim(line), limit);
}

ModelFailure failure_of_status(int status, const Headers& headers, std::string_view body, const Asked& asked,
                               WallTime now) {
  ModelFailure failure =
      refused(status, fmt::format("HTTP {} from {}", status, asked.host), complaints_in_text(body), asked);
  failure.retry_after = retry_after(status, headers, now);
  if (!failure.retry_after && status == 429) failure.retry_after = retry_delay(body);
  return failure;
}

ModelFailure failure_of_complaints(const std::vector<Complaint>& complaints, const Asked& asked) {
  return refused(status_of(complaints), fmt::format("{} broke off its reply with an error", asked.host),
                 complaints, asked);
}

ModelFailure failure_of_broken(std::string_view reason, std::string_view body, const Asked& asked) {
  std::string message = fmt::format("the reply of {} cannot be used: {}", asked.host, reason);
  const std::string start = shown(asked.secrets.hide_pieces(cut(body, kLongestExcerpt * 8)), kLongestExcerpt);
  message += start.empty() ? "; it is empty" : fmt::format("; it starts with: {}", start);
  return {Error{ErrorKind::network, asked.secrets.hide_pieces(message), {}}, std::nullopt};
}

}  // namespace assay
