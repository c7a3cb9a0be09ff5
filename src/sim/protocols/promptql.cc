#include "sim/protocols/promptql.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "sim/answers/table.h"
#include "sim/answers/words.h"
#include "sim/names.h"

namespace assay::sim {
namespace {

constexpr std::size_t kNear = 60;  // bytes between "artifact" and the name that goes with it

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

// The first word in quotes of `text`; empty if there is none.
std::string_view quoted_word(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\'' && text[at] != '"' && text[at] != '`') continue;
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) return {};
    const std::string_view word = text.substr(at + 1, end - at - 1);
    if (!word.empty() && std::ranges::all_of(word, is_name_character)) return word;
  }
  return {};
}

// A word that is a name by its looks: prioritized_tickets.
std::string_view bare_name(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    if (word.find('_') != std::string_view::npos) return word;
    at = std::max(end, at + 1);
  }
  return {};
}

std::string uuid(Chance chance) {
  const std::uint64_t high = chance.below(~0ULL);
  const std::uint64_t low = chance.below(~0ULL);
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF, high & 0xFFF,
                     0x8000 | ((low >> 48) & 0x3FFF), low & 0xFFFF'FFFF'FFFF);
}

Json action(const Json& message, const Json& plan, const Json& code, const Json& output) {
  return JsonObject{
      {"message", message}, {"plan", plan}, {"code", code}, {"code_output", output}, {"code_error", nullptr}};
}

Json text_json(std::string_view text) {
  return Json(boost::json::string(text));
}

// What a model sees of a request.
std::uint64_t hash_seen(const Json& body, std::uint64_t seed) {
  std::uint64_t state = hash_bytes("promptql", seed);
  for (const std::string_view pointer : {"/version", "/llm/provider", "/llm/model", "/system_instructions",
                                         "/timezone", "/artifacts", "/interactions"}) {
    const Json* part = find_pointer(body, pointer);
    state = part == nullptr ? hash_bytes(pointer, state) : hash_json(*part, state);
  }
  return state;
}

std::string last_message(const Json& body) {
  const JsonArray& interactions = list_at(body, "interactions");
  if (interactions.empty()) return {};
  const Json* text = find_pointer(interactions.back(), "/user_message/text");
  return text == nullptr ? "" : std::string(as_text(*text).value_or(""));
}

// The table that shares most words with the message.
std::optional<Table> best_table(const Json& body, std::string_view message) {
  const WordSet wanted(message);
  std::optional<Table> best;
  double most = -1;
  for (const Json& artifact : list_at(body, "artifacts")) {
    const Json* data = find_member(artifact, "data");
    auto table = data == nullptr ? std::nullopt : table_in(text_at(artifact, "identifier"), *data);
    if (!table) continue;
    std::string about = spaced(table->name) + " " + text_at(artifact, "title");
    for (const std::string& column : table->columns) about += " " + spaced(column);
    const auto shared = static_cast<double>(WordSet(about).shared_with(wanted));
    if (shared > most) most = shared, best = std::move(table);
  }
  return best;
}

// For whoever asks without data, as a model makes things up that it cannot look up.
JsonArray made_up(std::string_view message, Chance chance) {
  std::vector<std::string> words;
  for (const std::string_view word : split_words(message)) {
    if (word.size() > 3 && !is_stop_word(word) && std::ranges::all_of(word, is_name_character)) {
      words.push_back(lower_ascii(word));
    }
  }
  if (words.empty()) words = {"item"};
  JsonArray rows;
  const std::size_t count = std::min(wish_of(message).limit.value_or(100), chance.between(3, 6));
  for (std::size_t i = 0; i < count; ++i) {
    Chance own = chance.fork(i);
    rows.push_back(JsonObject{{"id", static_cast<std::int64_t>(own.between(1, 999))},
                              {"name", text_json(own.pick(words))},
                              {"score", static_cast<double>(own.between(0, 1000)) / 10}});
  }
  sort_by(rows, "score");
  return rows;
}

struct Attempt {
  JsonArray rows;
  std::string plan;
  std::string code;
};

Attempt attempt(const Json& body, std::string_view message, double noise, const Chance& chance) {
  auto table = best_table(body, message);
  if (!table) {
    return {made_up(message, chance.fork("rows")), "1. Collect what is known\n2. Order it by score",
            "rows = collect()\nrows.sort(key=lambda row: row['score'], reverse=True)"};
  }
  const Wish wish = wish_of(message);
  const std::string name = table->name;
  keep_kinds(*table, message);
  if (wish.newest) take(*table, wish);
  if (wish.figure != Wish::Figure::none && !wish.limit) {
    const bool mean = wish.figure == Wish::Figure::mean;
    const double number = figure_of(*table, wish.figure, message, chance.fork("figure"));
    const Json figure = mean ? Json(number) : Json(static_cast<std::int64_t>(number));
    return {{JsonObject{{mean ? "average" : "count", figure}}},
            fmt::format("1. Read {}\n2. Compute one number", name),
            fmt::format("rows = read('{}')\nprint({}(rows))", name, mean ? "mean" : "len")};
  }
  const std::string order = order_column(*table, message, chance.fork("order"));
  if (!order.empty()) sort_by(table->rows, order);
  if (!wish.newest) take(*table, wish);  // "top 5": of all rows in their order
  disturb(table->rows, noise, chance.fork("noise"));
  if (const auto named = named_columns(*table, message); !named.empty()) {
    for (Json& row : table->rows) {
      JsonObject kept;
      for (const std::string& column : named) {
        if (const Json* value = row.get_object().if_contains(column)) kept[column] = *value;
      }
      row = std::move(kept);
    }
  }
  return {std::move(table->rows),
          fmt::format("1. Read {}\n2. Keep what the question is about\n3. Order by {}", name,
                      order.empty() ? "nothing" : order),
          fmt::format("rows = read('{}')\nrows.sort(key=lambda row: row['{}'], reverse=True)", name, order)};
}

}  // namespace

std::string wanted_identifier(std::string_view message) {
  const std::string lower = lower_ascii(message);
  const std::string_view whole = message;
  for (const std::string_view sign : {"identifier", "artifact"}) {
    for (std::size_t at = lower.find(sign); at != std::string::npos; at = lower.find(sign, at + 1)) {
      const std::string_view after = whole.substr(at + sign.size(), kNear);
      if (const auto word = quoted_word(after); !word.empty()) return std::string(word);
      if (const auto word = bare_name(after); !word.empty()) return std::string(word);
    }
  }
  // "… as `open_tickets` (an artifact)"
  const std::size_t at = lower.find("artifact");
  if (at != std::string::npos) {
    const std::size_t from = at > kNear ? at - kNear : 0;
    if (const auto word = quoted_word(whole.substr(from, at - from)); !word.empty()) return std::string(word);
  }
  return "result";
}

Json promptql_reply(const Json& body, const SimOptions& options) {
  const Chance chance(hash_seen(body, options.seed));
  const std::string message = last_message(body);
  const std::string identifier = wanted_identifier(message);
  Attempt tried = attempt(body, message, options.noise, chance);
  std::string title = spaced(identifier);
  if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  const auto artifact = [&](JsonArray rows) -> Json {
    return JsonObject{
        {"identifier", identifier}, {"title", title}, {"artifact_type", "table"}, {"data", std::move(rows)}};
  };
  const std::string output = fmt::format("Stored {} rows in {}", tried.rows.size(), identifier);
  const std::string code =
      fmt::format("{}\nexecutor.store_artifact('{}', '{}', 'table', rows)", tried.code, identifier, title);
  const std::string words =
      fmt::format("The result has {} rows: <artifact identifier='{}' />", tried.rows.size(), identifier);
  JsonArray artifacts;
  // A program that is run twice stores its result twice; the last one counts.
  if (chance.fork("twice").happens(0.1) && tried.rows.size() > 1) {
    artifacts.push_back(artifact(JsonArray{tried.rows[0]}));
  }
  artifacts.push_back(artifact(std::move(tried.rows)));
  return JsonObject{
      {"thread_id", uuid(chance.fork("thread"))},
      {"assistant_actions", JsonArray{action("I will look at the data first.", text_json(tried.plan),
                                             text_json(code), text_json(output)),
                                      action(text_json(words), nullptr, nullptr, nullptr)}},
      {"modified_artifacts", std::move(artifacts)}};
}

Json promptql_message(std::string_view text, const Json& body) {
  return JsonObject{{"thread_id", uuid(Chance(hash_seen(body, 0)))},
                    {"assistant_actions", JsonArray{action(text_json(text), nullptr, nullptr, nullptr)}},
                    {"modified_artifacts", JsonArray{}}};
}

void sign_promptql(Json& reply) {
  if (JsonObject* object = reply.if_object()) (*object)["model"] = "sim/promptql";
}

ChatRequest promptql_conversation(const Json& body) {
  ChatRequest request;
  request.model = "promptql";
  if (const std::string system = text_at(body, "system_instructions"); !system.empty()) {
    request.messages.push_back({.role = Role::system, .text = system});
  }
  for (const Json& artifact : list_at(body, "artifacts")) {
    request.messages.push_back({.role = Role::system, .text = to_text(artifact)});
  }
  for (const Json& interaction : list_at(body, "interactions")) {
    const Json* text = find_pointer(interaction, "/user_message/text");
    request.messages.push_back(
        {.role = Role::user, .text = std::string(text == nullptr ? "" : as_text(*text).value_or(""))});
    for (const Json& taken : list_at(interaction, "assistant_actions")) {
      request.messages.push_back({.role = Role::assistant, .text = text_at(taken, "message")});
    }
  }
  return request;
}

void spoil_promptql(Json& reply) {
  reply = JsonObject{{"thread_id", text_at(reply, "thread_id")}, {"assistant_actions", "done"}};
}

void cut_promptql(Json& reply) {
  JsonObject& object = reply.as_object();
  object["modified_artifacts"] = JsonArray{};
  JsonArray& actions = object["assistant_actions"].as_array();
  if (actions.size() > 1) actions.resize(1);
  for (Json& taken : actions) {
    taken.as_object()["code"] = nullptr;
    taken.as_object()["code_output"] = nullptr;
  }
}

std::string promptql_error_body(const WireError& error) {
  return to_text(JsonObject{{"error", error.message}});
}

}  // namespace assay::sim
