#include "models/structured/structured.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/failure.h"

namespace assay {
namespace {

std::string defect_words(const SchemaDefect& defect) {
  if (defect.instance_pointer.empty()) return fmt::format("the answer as a whole: {}", defect.message);
  return fmt::format("{}: {}", defect.instance_pointer, defect.message);
}

AnswerReading read(const ChatReply& reply, const Schema& schema, const StructuredPolicy& policy) {
  if (policy.admit) {
    if (auto defects = policy.admit(reply); !defects.empty()) return {{}, {}, std::move(defects)};
  }
  AnswerReading reading = read_answer(reply, policy.read);
  if (!reading.defects.empty()) return reading;
  if (policy.normalise) reading.value = policy.normalise(std::move(reading.value));
  for (const auto& defect : schema.validate(reading.value)) reading.defects.push_back(defect_words(defect));
  if (reading.defects.empty() && policy.check) reading.defects = policy.check(reading.value);
  return reading;
}

// In one line for people: the first three.
std::string defects_in_short(const std::vector<std::string>& defects) {
  constexpr std::size_t kMost = 3;
  std::string words;
  for (std::size_t i = 0; i < std::min(defects.size(), kMost); ++i)
    words += fmt::format("{}{}", i > 0 ? "; " : "", defects[i]);
  if (defects.size() > kMost) words += fmt::format("; and {} more", defects.size() - kMost);
  return words;
}

Error give_up(const StructuredPolicy& policy, const StructuredAnswer& answer) {
  return Error{policy.failure,
               fmt::format("{} after {} attempt{}: {}", policy.lacking, answer.attempts,
                           answer.attempts == 1 ? "" : "s",
                           shown(defects_in_short(answer.history.back().defects), 500)),
               {}};
}

}  // namespace

Task<StructuredAnswer> ask_structured(Complete complete, ChatRequest request, const Schema& schema,
                                      StructuredPolicy policy) {
  StructuredAnswer answer;
  const int most = std::max(1, policy.attempts);
  std::optional<ChatReply> last;
  while (answer.attempts < most) {
    const int attempt = ++answer.attempts;
    ChatRequest asked = last ? ask_again(request, *last, answer.history.back().defects,
                                         policy.asked_again ? policy.asked_again() : std::string())
                             : request;
    if (policy.adjust) policy.adjust(attempt, asked);
    Result<ChatReply> reply = co_await complete(attempt, std::move(asked));
    if (!reply) {
      answer.value = fail(std::move(reply).error());
      co_return answer;
    }
    answer.usage += reply->usage;
    answer.history.push_back({written_answer(*reply), reply->finish, reply->model, reply->origin, {}});
    if (reply->finish == FinishReason::refusal || !reply->refusal.empty()) {
      answer.history.back().defects = {"the model declined to answer"};
      const std::string words = shown(reply->refusal);
      answer.value =
          fail(ErrorKind::refused, words.empty() ? "the model declined to answer"
                                                 : fmt::format("the model declined to answer: {}", words));
      co_return answer;
    }
    AnswerReading reading = read(*reply, schema, policy);
    if (reading.defects.empty()) {
      answer.value = std::move(reading.value);
      answer.forgiven = std::move(reading.forgiven);
      co_return answer;
    }
    answer.history.back().defects = std::move(reading.defects);
    last = std::move(*reply);
  }
  answer.value = fail(give_up(policy, answer));
  co_return answer;
}

}  // namespace assay
