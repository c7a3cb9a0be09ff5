#include "sim/faults.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace assay::sim {
namespace {

struct Rate {
  Fault fault;
  std::string_view name;
  double SimFaultOptions::* share;
};
constexpr std::array<Rate, kFaultKinds - 1> kRates = {{
    {Fault::rate_limited, "429", &SimFaultOptions::rate_429},
    {Fault::server_error, "500", &SimFaultOptions::rate_500},
    {Fault::overloaded, "503", &SimFaultOptions::rate_503},
    {Fault::drop, "drop", &SimFaultOptions::rate_drop},
    {Fault::stall, "stall", &SimFaultOptions::rate_stall},
    {Fault::truncate, "truncate", &SimFaultOptions::rate_truncate},
    {Fault::malformed, "malformed", &SimFaultOptions::rate_malformed},
    {Fault::wrong_schema, "wrong_schema", &SimFaultOptions::rate_wrong_schema},
    {Fault::length, "length", &SimFaultOptions::rate_length},
}};

constexpr auto kNames = [] {
  std::array<std::string_view, kRates.size()> names{};
  std::ranges::transform(kRates, names.begin(), &Rate::name);
  return names;
}();

// A few ways to be wrong, from the likely to the drastic.
Json spoiled(const Json& value, Chance& chance, int way) {
  Json out = value;
  if (JsonObject* object = out.if_object(); object != nullptr && !object->empty()) {
    auto member = object->begin() + static_cast<long>(chance.below(object->size()));
    switch (way % 4) {
      case 0:
        object->erase(member);
        break;
      case 1:
        member->value() = member->value().is_string() ? Json(17) : Json("about so much");
        break;
      case 2:
        member->value() = spoiled(member->value(), chance, way + 1);
        break;
      default:
        (*object)["note"] = "this was not asked for";
    }
    return out;
  }
  if (JsonArray* list = out.if_array(); list != nullptr && !list->empty() && way % 2 == 0) {
    Json& entry = (*list)[chance.below(list->size())];
    entry = spoiled(entry, chance, way + 1);
    return out;
  }
  constexpr std::array<std::string_view, 2> kWords = {"I am not sure", ""};
  return value.is_string() ? Json(-1) : Json(boost::json::string(chance.pick(kWords)));
}

}  // namespace

std::string_view to_string(Fault fault) {
  const auto* found = std::ranges::find(kRates, fault, &Rate::fault);
  return found == kRates.end() ? "none" : found->name;
}

std::optional<Fault> fault_named(std::string_view name) {
  const auto* found = std::ranges::find(kRates, name, &Rate::name);
  if (found == kRates.end()) return std::nullopt;
  return found->fault;
}

std::span<const std::string_view> fault_names() {
  return kNames;
}

Status check_faults(const SimFaultOptions& options) {
  double sum = 0;
  for (const Rate& rate : kRates) {
    const double share = options.*rate.share;
    if (!(share >= 0 && share <= 1)) {
      return fail(ErrorKind::config, fmt::format("the rate of {} is {}, expected 0 to 1", rate.name, share));
    }
    sum += share;
  }
  if (sum > 1 + 1e-9) {
    return fail(ErrorKind::config,
                fmt::format("the rates of all faults together are {}, expected at most 1", sum));
  }
  if (!(options.rate_batch_errored >= 0 && options.rate_batch_expired >= 0 &&
        options.rate_batch_errored + options.rate_batch_expired <= 1 + 1e-9)) {
    return fail(ErrorKind::config, "the shares of a batch's requests that fail are 0 to 1, also together");
  }
  if (options.latency.count() < 0 || options.latency_spread.count() < 0) {
    return fail(ErrorKind::config, "latency and its spread cannot be negative");
  }
  return {};
}

FaultPlan plan_faults(const SimFaultOptions& options, std::uint64_t seed, std::uint64_t request_number) {
  Chance chance = Chance(seed).fork("faults").fork(request_number);
  FaultPlan plan;
  double left = chance.unit();
  for (const Rate& rate : kRates) {
    left -= options.*rate.share;
    if (left < 0) {
      plan.fault = rate.fault;
      break;
    }
  }
  const double around = 2 * chance.unit() - 1;
  const auto spread = std::chrono::nanoseconds(
      static_cast<std::int64_t>(around * static_cast<double>(options.latency_spread.count())));
  plan.latency = std::max(std::chrono::nanoseconds(0), options.latency + spread);
  return plan;
}

bool spoil_answer(ChatReply& reply, const ChatRequest& request, InstanceMakers& makers, Chance chance) {
  const Json* schema = nullptr;
  std::optional<Json> value;
  ToolCall* call = reply.message.tool_calls.empty() ? nullptr : &reply.message.tool_calls.front();
  if (call != nullptr) {
    const auto tool = std::ranges::find(request.tools, call->name, &Tool::name);
    if (tool == request.tools.end()) return false;
    schema = &tool->parameters;
    value = call->arguments;
  } else if (request.output) {
    schema = &request.output->schema.value();
    if (auto parsed = parse_json(reply.message.text)) value = std::move(*parsed);
  }
  if (schema == nullptr || !value) return false;
  const auto maker = makers.get(*schema);
  if (!maker) return false;
  for (int way = 0; way < 16; ++way) {
    // The last ways break even a schema that leaves objects free.
    Json wrong = way < 12       ? spoiled(*value, chance, way)
                 : way % 2 == 0 ? Json(boost::json::string("none"))
                                : Json(nullptr);
    if ((*maker)->valid(wrong)) continue;
    if (call != nullptr) {
      if (!wrong.is_object()) continue;  // arguments are an object on every wire
      call->arguments = std::move(wrong);
    } else {
      reply.message.text = to_text(wrong);
    }
    return true;
  }
  return false;
}

MinuteWindow::Admission MinuteWindow::admit(Time now) {
  constexpr std::chrono::nanoseconds kMinute = std::chrono::minutes(1);
  const std::lock_guard lock(mutex_);
  if (!start_ || now - *start_ >= kMinute) {
    start_ = now;
    used_ = 0;
  }
  const std::chrono::nanoseconds until_reset = kMinute - (now - *start_);
  if (used_ >= limit_) return {false, 0, until_reset};
  ++used_;
  return {true, limit_ - used_, until_reset};
}

void MinuteWindow::reset() {
  const std::lock_guard lock(mutex_);
  start_.reset();
  used_ = 0;
}

}  // namespace assay::sim
