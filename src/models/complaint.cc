#include "models/complaint.h"

#include <charconv>

#include "core/text.h"
#include "models/providers/provider.h"

namespace assay {
namespace {

constexpr std::size_t kMostComplaints = 16;
constexpr int kDeepest = 4;

std::string text_member(const Json& json, std::string_view key) {
  const Json* member = find_member(json, key);
  if (member == nullptr) return {};
  if (const auto text = as_text(*member)) return std::string(*text);
  if (const auto number = as_integer(*member)) return std::to_string(*number);
  return {};
}

// FastAPI's "loc": ["body", "seed"] → "body.seed".
std::string location(const Json& json) {
  const Json* member = find_member(json, "loc");
  if (member == nullptr || !member->is_array()) return {};
  std::string path;
  for (const auto& part : member->get_array()) {
    if (!path.empty()) path += '.';
    if (const auto text = as_text(part)) {
      path += *text;
    } else {
      path += to_text(part);
    }
  }
  return path;
}

void collect(const Json& json, int depth, std::vector<Complaint>& found);

void collect_text(std::string_view text, int depth, std::vector<Complaint>& found) {
  const std::string_view body = trim(text);
  // Gateways pass on the error of the server behind them as a JSON text inside their own.
  if (body.starts_with('{') || body.starts_with('[')) {
    const std::size_t before = found.size();
    if (const auto inner = parse_json(body)) collect(*inner, depth + 1, found);
    if (found.size() > before) return;
  }
  if (!body.empty()) found.push_back({std::string(body), {}, {}, {}});
}

// llama.cpp gives the sizes of a prompt that does not fit in members of their own.
std::string sizes_in(const Json& json) {
  const std::string prompt = text_member(json, "n_prompt_tokens");
  const std::string context = text_member(json, "n_ctx");
  return prompt.empty() || context.empty() ? std::string() : " (" + prompt + " tokens, " + context + " fit)";
}

void collect_object(const Json& json, int depth, std::vector<Complaint>& found) {
  Complaint complaint;
  complaint.type = text_member(json, "type");
  complaint.code = text_member(json, "code");
  // Google's and AWS's names for the same.
  if (complaint.type.empty()) complaint.type = text_member(json, "status");
  if (complaint.type.empty()) complaint.type = text_member(json, "__type");
  if (const Json* reason = find_pointer(json, "/details/0/reason"); reason != nullptr && as_text(*reason))
    complaint.code = *as_text(*reason);
  if (const Json* code = find_pointer(json, "/details/error_code")) {
    if (const auto text = as_text(*code)) complaint.code = *text;
  }
  complaint.parameter = text_member(json, "param");
  if (complaint.parameter.empty()) complaint.parameter = location(json);

  const std::size_t before = found.size();
  for (const std::string_view key : {"error", "detail", "message", "msg", "Message"}) {
    const Json* member = find_member(json, key);
    if (member == nullptr || member->is_null()) continue;
    if (const auto text = as_text(*member)) {
      collect_text(*text, depth, found);
    } else {
      collect(*member, depth + 1, found);
    }
    if (found.size() > before) break;
  }
  // What the outer object knows belongs to the inner complaint as far as that one does not know better.
  const std::string sizes = sizes_in(json);
  for (std::size_t i = before; i < found.size(); ++i) {
    if (!sizes.empty() && !found[i].message.contains(sizes)) found[i].message += sizes;
    if (found[i].type.empty()) found[i].type = complaint.type;
    if (found[i].code.empty()) found[i].code = complaint.code;
    if (found[i].parameter.empty()) found[i].parameter = complaint.parameter;
  }
}

void collect(const Json& json, int depth, std::vector<Complaint>& found) {
  if (depth > kDeepest || found.size() >= kMostComplaints) return;
  if (json.is_object()) {
    collect_object(json, depth, found);
  } else if (json.is_array()) {
    for (const auto& element : json.get_array()) {
      if (found.size() >= kMostComplaints) return;
      collect(element, depth + 1, found);
    }
  } else if (const auto text = as_text(json)) {
    collect_text(*text, depth, found);
  }
}

}  // namespace

std::vector<Complaint> complaints_in(const Json& body) {
  std::vector<Complaint> found;
  collect(body, 0, found);
  return found;
}

std::vector<Complaint> complaints_in_text(std::string_view body) {
  std::vector<Complaint> found;
  collect_text(body, 0, found);
  return found;
}

int status_of(const std::vector<Complaint>& complaints) {
  for (const auto& complaint : complaints) {
    int number = 0;
    const char* end = complaint.code.data() + complaint.code.size();
    const auto [stop, error] = std::from_chars(complaint.code.data(), end, number);
    if (error == std::errc() && stop == end && number >= 400 && number <= 599) return number;
    for (const std::string& word : {complaint.code, complaint.type}) {
      if (const ErrorName* known = find_error(word)) return known->status;
    }
  }
  return 500;
}

}  // namespace assay
