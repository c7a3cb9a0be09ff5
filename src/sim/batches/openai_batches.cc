// OpenAI's files and batches: a file of requests, one a line, becomes a batch, which becomes a file of
// answers and one of errors.
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/batches/batches.h"
#include "sim/batches/multipart.h"
#include "sim/batches/routes.h"

namespace assay::sim {
namespace {

constexpr std::size_t kMostRequests = 50'000;
constexpr std::string_view kOutputPrefix = "file-output-";
constexpr std::string_view kErrorPrefix = "file-errors-";
constexpr std::array<std::string_view, 2> kEndpoints{"/v1/chat/completions", "/v1/responses"};

WireError not_found(std::string_view what, const std::string& id) {
  return {404, fmt::format("No such {}: {}", what, shorten(id, 100)), "", "id", ""};
}

WireError wrong(std::string param, std::string message) {
  return {400, std::move(message), "", std::move(param), "invalid_value"};
}

std::int64_t seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Json file_json(const std::string& id, const std::string& name, const std::string& purpose, std::size_t bytes,
               WallTime created) {
  return JsonObject{{"id", id},
                    {"object", "file"},
                    {"bytes", bytes},
                    {"filename", name},
                    {"purpose", purpose},
                    {"created_at", seconds(created)},
                    {"status", "processed"}};
}

// A batch's answers, or what is none, as lines; nothing of requests that never had their turn but why.
std::string lines_of(const Batch& batch, bool errors, Batch::Time now) {
  std::string out;
  const std::size_t had = batch.done(now);
  for (std::size_t i = 0; i < batch.items().size(); ++i) {
    const BatchItem& item = batch.items()[i];
    const bool cut_off = i >= had || item.expired;
    if (errors != (cut_off || item.answer.status != 200)) continue;
    out += fmt::format(R"({{"id":"batch_req_{}",)", id_text(i));
    append_quoted(out, "custom_id", item.custom_id);
    if (cut_off) {
      const std::string_view code = item.expired ? "batch_expired" : "batch_cancelled";
      out += fmt::format(
          R"(,"response":null,"error":{{"code":"{}","message":"This request could not be executed before the )"
          R"(completion window expired."}}}})",
          code);
    } else {
      out += fmt::format(R"(,"response":{{"status_code":{},"request_id":"req_{}","body":{}}},"error":null}})",
                         item.answer.status, id_text(~i), item.answer.body);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

BatchReply Batches::upload(const ServerRequest& request) {
  const std::string* type = request.headers.find("content-type");
  const auto parts = read_multipart(type == nullptr ? "" : *type, request.body);
  if (!parts) return std::unexpected(wrong("file", parts.error().message));
  File file{.id = next_id("file-"),
            .name = "",
            .purpose = "",
            .content = "",
            .created = std::chrono::system_clock::now()};
  bool any = false;
  for (const FormPart& part : *parts) {
    if (part.name == "purpose") file.purpose = part.content;
    if (part.name == "file") {
      file.name = part.file_name;
      file.content = part.content;
      any = true;
    }
  }
  if (!any) return std::unexpected(wrong("file", "'file' is a required property"));
  if (file.purpose != "batch")
    return std::unexpected(
        wrong("purpose", "'purpose' must be batch here; found " + shorten(file.purpose, 60)));
  Json json = file_json(file.id, file.name, file.purpose, file.content.size(), file.created);
  files_.push_back(std::move(file));
  return to_text(json);
}

std::vector<BatchItem> Batches::openai_items(std::string_view input, std::string_view endpoint,
                                             JsonArray& problems) {
  std::vector<std::pair<std::string, Json>> given;
  std::set<std::string> names;
  std::string model;
  std::int64_t line_number = 0;
  const auto problem = [&](std::string_view code, std::string_view message) {
    problems.push_back(
        JsonObject{{"code", code}, {"line", line_number}, {"message", message}, {"param", nullptr}});
  };
  for (const std::string_view line : split_lines(input)) {
    ++line_number;
    if (trim(line).empty()) continue;
    auto json = parse_json(line);
    if (!json || !json->is_object()) {
      problem("invalid_json_line", "This line is not parseable as valid JSON.");
      continue;
    }
    const std::string name = text_at(*json, "custom_id");
    const Json* body = find_member(*json, "body");
    if (name.empty() || name.size() > 512)
      problem("invalid_custom_id", "The custom_id is missing or too long.");
    if (!names.insert(name).second)
      problem("duplicate_custom_id", "The custom_id for this request is a duplicate of another request.");
    if (text_at(*json, "method") != "POST") problem("invalid_method", "The method must be POST.");
    if (text_at(*json, "url") != endpoint)
      problem("mismatched_endpoint", "The url of this request is not the endpoint of the batch.");
    if (body == nullptr || !body->is_object()) {
      problem("missing_required_parameter", "The body is missing.");
      continue;
    }
    const std::string asked = text_at(*body, "model");
    if (given.empty()) model = asked;
    if (asked != model) problem("mismatched_model", "All requests of a batch must be for one model.");
    given.emplace_back(name, *body);
  }
  if (given.empty() && problems.empty()) problem("empty_file", "The input file is empty.");
  if (given.size() > kMostRequests)
    problem("too_many_tasks", "The batch input file contains too many requests.");
  std::vector<BatchItem> items;
  if (!problems.empty()) return items;
  for (auto& [name, body] : given) items.push_back(answered(name, Protocol::openai, endpoint, body));
  return items;
}

BatchReply Batches::create_openai(std::string_view text, Time now) {
  auto body = parse_json(text);
  if (!body || !body->is_object())
    return std::unexpected(wrong("", "The body could not be read as a JSON object."));
  for (const auto& member : body->get_object()) {
    constexpr std::array<std::string_view, 5> kKnown{"completion_window", "endpoint", "input_file_id",
                                                     "metadata", "output_expires_after"};
    if (std::ranges::find(kKnown, std::string_view(member.key())) == kKnown.end())
      return std::unexpected(
          WireError{400, fmt::format("Unknown parameter: '{}'.", std::string_view(member.key())), "",
                    std::string(member.key()), "unknown_parameter"});
  }
  const std::string endpoint = text_at(*body, "endpoint");
  if (std::ranges::find(kEndpoints, endpoint) == kEndpoints.end())
    return std::unexpected(wrong("endpoint", "Invalid value for 'endpoint': " + shorten(endpoint, 60)));
  if (text_at(*body, "completion_window") != "24h")
    return std::unexpected(wrong("completion_window", "Invalid value: 'completion_window' must be '24h'."));
  const std::string file_id = text_at(*body, "input_file_id");
  const auto file = std::ranges::find(files_, file_id, &File::id);
  if (file == files_.end())
    return std::unexpected(
        wrong("input_file_id", fmt::format("No such File object: {}", shorten(file_id, 100))));
  JsonArray problems;
  std::vector<BatchItem> items = openai_items(file->content, endpoint, problems);
  Batch batch(next_id(kOpenAiBatchPrefix), std::move(items), options_.batch_time, now);
  batch.problems = std::move(problems);
  batch.given = body->get_object();
  batches_.push_back(std::move(batch));
  return to_text(openai_json(batches_.back(), now));
}

Json Batches::openai_json(const Batch& batch, Time now) const {
  const BatchCounts counts = batch.counts(now);
  const bool ended = batch.ended(now);
  const bool failed = !batch.problems.empty();
  std::string_view status = "in_progress";
  if (ended) status = counts.expired > 0 ? "expired" : "completed";
  if (batch.cancelled()) status = "cancelled";
  if (failed) status = "failed";
  const auto given = [&](std::string_view key) {
    const Json* value = batch.given.if_contains(key);
    return value == nullptr ? Json(nullptr) : *value;
  };
  const std::int64_t created = seconds(batch.created());
  const auto at = [&](bool so) { return so ? Json(created) : Json(nullptr); };
  const std::string_view number = std::string_view(batch.id()).substr(kOpenAiBatchPrefix.size());
  const auto file = [&](std::string_view prefix, bool there) {
    return ended && !failed && there ? Json(fmt::format("{}{}", prefix, number)) : Json(nullptr);
  };
  return JsonObject{
      {"id", batch.id()},
      {"object", "batch"},
      {"endpoint", given("endpoint")},
      {"errors", failed ? Json(JsonObject{{"object", "list"}, {"data", batch.problems}}) : Json(nullptr)},
      {"input_file_id", given("input_file_id")},
      {"completion_window", given("completion_window")},
      {"status", status},
      {"output_file_id", file(kOutputPrefix, counts.succeeded > 0)},
      {"error_file_id", file(kErrorPrefix, counts.succeeded < counts.all())},
      {"created_at", created},
      {"in_progress_at", at(!failed)},
      {"expires_at", created + 86'400},
      {"finalizing_at", at(ended && !failed)},
      {"completed_at", at(status == "completed")},
      {"failed_at", at(failed)},
      {"expired_at", at(status == "expired")},
      {"cancelling_at", at(batch.cancelled())},
      {"cancelled_at", at(batch.cancelled())},
      {"request_counts", JsonObject{{"total", counts.all()},
                                    {"completed", counts.succeeded},
                                    {"failed", counts.errored + counts.expired}}},
      {"metadata", given("metadata")}};
}

BatchReply Batches::content(const std::string& id, Time now) const {
  for (const File& file : files_) {
    if (file.id == id) return file.content;
  }
  for (const std::string_view prefix : {kOutputPrefix, kErrorPrefix}) {
    if (!id.starts_with(prefix)) continue;
    const std::string batch_id = fmt::format("{}{}", kOpenAiBatchPrefix, id.substr(prefix.size()));
    const auto batch = std::ranges::find(batches_, batch_id, &Batch::id);
    if (batch != batches_.end() && batch->ended(now)) return lines_of(*batch, prefix == kErrorPrefix, now);
  }
  return std::unexpected(not_found("File object", id));
}

BatchReply Batches::handle_openai(int route, const std::string& id, const ServerRequest& request, Time now) {
  switch (route) {
    case kUpload:
      return upload(request);
    case kContent:
      return content(id, now);
    case kFile: {
      const auto file = std::ranges::find(files_, id, &File::id);
      if (file != files_.end())
        return to_text(file_json(file->id, file->name, file->purpose, file->content.size(), file->created));
      const auto made = content(id, now);
      if (!made) return made;
      return to_text(
          file_json(id, id + ".jsonl", "batch_output", made->size(), std::chrono::system_clock::now()));
    }
    case kDeleteFile: {
      if (std::erase_if(files_, [&](const File& file) { return file.id == id; }) == 0)
        return std::unexpected(not_found("File object", id));
      return to_text(JsonObject{{"id", id}, {"object", "file"}, {"deleted", true}});
    }
    case kCreate:
      return create_openai(request.body, now);
    case kList: {
      const Page found = page(request.query, kOpenAiBatchPrefix);
      JsonArray list;
      for (const Batch* batch : found.batches) list.push_back(openai_json(*batch, now));
      JsonObject json{{"object", "list"}, {"has_more", found.more}};
      json["first_id"] = list.empty() ? Json(nullptr) : list.front().at("id");
      json["last_id"] = list.empty() ? Json(nullptr) : list.back().at("id");
      json["data"] = std::move(list);
      return to_text(json);
    }
    default:
      break;
  }
  Batch* batch = batch_named(id);
  if (batch == nullptr) return std::unexpected(not_found("batch", id));
  if (route == kCancel) batch->cancel(now);
  return to_text(openai_json(*batch, now));
}

}  // namespace assay::sim
