#include "evaluations/guidelines/judge_stress.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/guidelines/checks.h"
#include "evaluations/stress/demands.h"
#include "evaluations/stress/text_parts.h"

namespace assay::guidelines {
namespace {

using stress::ChangedTexts;
using stress::JudgedFigure;
using stress::JudgedTexts;
using stress::WrittenCase;

constexpr std::string_view kMetric = "applied_rate";

// What the agent said, by the place of the event, and what it did.
struct AgentsPart {
  std::vector<std::size_t> places;
  std::vector<std::string> messages;
  std::string done;
};

AgentsPart agents_part(const Conversation& conversation) {
  AgentsPart part;
  for (std::size_t i = 0; i < conversation.events.size(); ++i) {
    const Json& event = conversation.events[i];
    if (!is_agents_doing(event)) continue;
    const Json& data = *find_member(event, "data");
    if (text_at(event, "event_kind") == "tool") {
      part.done += to_text(data) + "\n";
    } else if (std::string message = text_at(data, "message"); !trim(message).empty()) {
      part.places.push_back(i);
      part.messages.push_back(std::move(message));
    }
  }
  return part;
}

// What the agent is to do, with what explains it: the judge goes by both.
std::vector<std::string> demands_of(const Conversation& conversation) {
  std::vector<std::string> demands;
  demands.reserve(conversation.guidelines.size());
  for (const Guideline& one : conversation.guidelines)
    demands.push_back(one.description.empty() ? one.action
                                              : fmt::format("{}. {}", one.action, one.description));
  return demands;
}

// The message that is changed: that in which a guideline is carried out by one sentence alone, else the one
// with most sentences, since most can be done to it; of equals the last.
struct Chosen {
  std::size_t place = 0;
  std::string message;
  std::string reference;
};

std::optional<Chosen> chosen_message(const Conversation& conversation) {
  AgentsPart part = agents_part(conversation);
  if (part.messages.empty()) return std::nullopt;
  const std::vector<std::string> demands = demands_of(conversation);
  std::size_t which = 0;
  std::string reference;
  if (auto carried = stress::carried_alone(demands, part.messages, part.done)) {
    which = carried->text;
    reference = std::move(carried->reference);
  } else {
    std::size_t most = 0;
    for (std::size_t i = 0; i < part.messages.size(); ++i) {
      const std::size_t sentences = stress::sentences_of(part.messages[i]).size();
      if (sentences >= most) most = sentences, which = i;
    }
  }
  return Chosen{part.places[which], std::move(part.messages[which]), std::move(reference)};
}

class GuidelinesStressing final : public stress::Stressing {
 public:
  GuidelinesStressing(std::function<Conversation(const Case&)> read, double moved)
      : read_(std::move(read)), moved_(moved) {}

  std::vector<JudgedFigure> figures() const override {
    // A denial is no such fault: the verb that is turned round may be another than the action's, and "say
    // whether it is open" is carried out by either answer.
    return {{.name = "applied_rate_per_conversation",
             .metric = std::string(kMetric),
             .faults = {"figure", "left_out"}}};
  }
  std::string lacking() const override { return ""; }
  std::string_view data_key() const override { return "conversations"; }

  std::optional<JudgedTexts> texts(const Case& input) const override {
    const Conversation conversation = read_(input);
    auto chosen = chosen_message(conversation);
    if (!chosen || conversation.guidelines.empty()) return std::nullopt;
    JudgedTexts texts{.answer = std::move(chosen->message)};
    // A fault costs one guideline: among so many that one does not move the score, it could not be noticed.
    const double one = 1.0 / static_cast<double>(conversation.guidelines.size());
    if (one > moved_) texts.reference = std::move(chosen->reference);
    return texts;
  }

  bool tries(const Case& input, const stress::Change& change) const override {
    const std::vector<std::string> demands = demands_of(read_(input));
    return !stress::is_demanded(change, demands) &&
           !(change.adds_statements && stress::asks_for_truth(demands));
  }

  WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const override {
    Conversation conversation = read_(input);
    const auto chosen = chosen_message(conversation);
    if (chosen)
      conversation.events[chosen->place].get_object()["data"].get_object()["message"] = texts.answer;
    const CaseTree tree(input);
    JsonObject line = tree->get_object();
    line["id"] = id;
    line["events"] = JsonArray(conversation.events.begin(), conversation.events.end());
    line.erase("messages");  // the same, as events
    return {std::move(line)};
  }

  Status derive(JsonObject& /*config*/, const std::vector<std::string>& metrics) const override {
    for (const std::string& name : metrics) {
      if (name != kMetric)
        return fail(ErrorKind::usage, fmt::format("no metric {}; there is {}", name, kMetric));
    }
    return {};
  }

 private:
  std::function<Conversation(const Case&)> read_;
  double moved_;
};

}  // namespace

std::unique_ptr<stress::Stressing> judge_stressing(std::function<Conversation(const Case&)> read,
                                                   double moved) {
  return std::make_unique<GuidelinesStressing>(std::move(read), moved);
}

}  // namespace assay::guidelines
