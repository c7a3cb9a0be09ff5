#include "sim/model.h"

#include <charconv>

#include <fmt/format.h>

#include "core/text.h"
#include "models/tokens.h"
#include "sim/text_vector.h"

namespace assay {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Status apply(std::string_view option, SimOptions& options) {
  const auto equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
  if (key == "seed") {
    if (read_number(value, options.seed)) return {};
    return fail(ErrorKind::config, fmt::format("seed is \"{}\", expected a whole number from 0", value));
  }
  if (key == "noise") {
    if (read_number(value, options.noise) && options.noise >= 0 && options.noise <= 1) return {};
    return fail(ErrorKind::config, fmt::format("noise is \"{}\", expected a number from 0 to 1", value));
  }
  if (key == "weak") {
    auto weak = Weaknesses::parse(value);
    if (!weak) return fail(std::move(weak.error()));
    options.weak = *weak;
    return {};
  }
  return fail(ErrorKind::config,
              fmt::format("unknown option \"{}\" of a simulated model; known are seed, noise, weak", key));
}

}  // namespace

Result<std::unique_ptr<ChatModel>> SimModel::make(std::string_view name, SimOptions defaults) {
  const std::string whole(name);
  if (name.starts_with("sim/")) name.remove_prefix(4);
  const std::string given(name);
  const auto question = name.find('?');
  if (question != std::string_view::npos) {
    for (const std::string_view option : split(name.substr(question + 1), '&')) {
      auto applied = apply(option, defaults);
      if (!applied) return fail(std::move(applied.error()).with("model", whole));
    }
    name = name.substr(0, question);
  }
  if (name.empty()) return fail(ErrorKind::config, "a simulated model needs a name, for example sim/judge");
  if (!defaults.makers) defaults.makers = std::make_shared<sim::InstanceMakers>();
  return std::unique_ptr<ChatModel>(new SimModel(given, std::string(name), std::move(defaults)));
}

ModelIdentity SimModel::identity() const {
  return {.provider = "sim", .name = given_};
}

Task<std::expected<ChatReply, ModelFailure>> SimModel::complete(const ChatRequest& request,
                                                                OnTokens /*on_tokens*/) {
  ChatRequest own = request;  // the caller's name may be an alias; the model's own decides
  own.model = name_;
  ChatReply reply = sim::answer(own, options_);
  reply.origin.finish_reason = to_string(reply.finish);
  co_return reply;
}

Task<std::expected<EmbeddingReply, ModelFailure>> SimModel::embed(const std::vector<std::string>& texts) {
  EmbeddingReply reply{.vectors = {}, .model = "sim/" + name_};
  for (const std::string& text : texts) {
    reply.vectors.push_back(sim::text_vector(text, options_.seed));
    reply.usage.prompt_tokens += estimate_tokens(text);
  }
  co_return reply;
}

}  // namespace assay
