#include "evaluations/prompts.h"

#include <span>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/embedded.h"
#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"

namespace assay {

std::span<const EmbeddedText> embedded_prompts();

namespace {

// Fills {name} for the given names in one pass, so that a value is never searched itself.
std::string fill(std::string_view text, const Prompt::Values& values) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled.append(text.substr(0, open));
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    bool replaced = false;
    for (const auto& [name, value] : values) {
      if (text.size() > name.size() + 1 && text.substr(1, name.size()) == name &&
          text[name.size() + 1] == '}') {
        filled += value;
        text.remove_prefix(name.size() + 2);
        replaced = true;
        break;
      }
    }
    if (!replaced) {
      filled += '{';
      text.remove_prefix(1);
    }
  }
  return filled;
}

}  // namespace

Result<Prompt> Prompt::parse(std::string_view text, const std::vector<std::string>& needed) {
  Prompt prompt;
  std::size_t number = 0;
  for (std::string_view line : split_lines(text)) {
    ++number;
    if (line.starts_with("=== ")) {
      const std::string_view role = trim(line.substr(4));
      if (role != "system" && role != "user") {
        return fail(Error{ErrorKind::config,
                          fmt::format("found part \"{}\", expected \"system\" or \"user\"", role),
                          {{"line", std::to_string(number)}}});
      }
      prompt.parts_.push_back({role == "system" ? Role::system : Role::user, "", {}, "", false});
      continue;
    }
    // A file without marks is one user message.
    if (prompt.parts_.empty()) {
      if (trim(line).empty()) continue;
      prompt.parts_.push_back({Role::user, "", {}, "", false});
    }
    prompt.parts_.back().text.append(line).append("\n");
  }
  for (Message& part : prompt.parts_) part.text = std::string(trim(part.text));
  if (prompt.parts_.empty()) return fail(ErrorKind::config, "the prompt is empty");
  for (const std::string& name : needed) {
    bool used = false;
    for (const Message& part : prompt.parts_)
      used = used || part.text.find("{" + name + "}") != std::string::npos;
    if (!used) {
      return fail(ErrorKind::config, fmt::format("the placeholder {{{}}} is missing; needed are {{{}}}", name,
                                                 fmt::join(needed, "}, {")));
    }
  }
  return prompt;
}

std::vector<Message> Prompt::render(const Values& values) const {
  std::vector<Message> messages = parts_;
  for (Message& message : messages) message.text = fill(message.text, values);
  return messages;
}

PromptLibrary::PromptLibrary() {
  for (const EmbeddedText& text : embedded_prompts()) {
    const std::string name(text.name);
    if (name.ends_with(".txt")) texts_.emplace(name.substr(0, name.size() - 4), text.text);
    if (name.ends_with(".json")) schemas_.emplace(name.substr(0, name.size() - 5), text.text);
  }
}

void PromptLibrary::replace(const Config& config, std::vector<ConfigProblem>& problems) {
  const Json* given = config.find("prompts");
  if (given == nullptr || !given->is_object()) return;
  for (const auto& [name, value] : given->get_object()) {
    const std::string key = "prompts." + std::string(name);
    const Json* file = find_member(value, "file");
    const auto known = texts_.find(std::string(name));
    if (known == texts_.end()) {
      const std::vector<std::string> all = names();
      const auto guess = nearest(name, all);
      problems.push_back({"config", key,
                          guess ? fmt::format("unknown prompt; did you mean `{}`?", *guess)
                                : fmt::format("unknown prompt; known are {}", fmt::join(all, ", "))});
      continue;
    }
    if (file == nullptr || !file->is_string()) continue;
    auto text = config.read_text(std::string(file->get_string()));
    if (!text) {
      problems.push_back({"config", key, text.error().text()});
      continue;
    }
    known->second = std::move(*text);
    origins_[std::string(name)] = std::string(file->get_string());
  }
}

Prompt PromptLibrary::prompt(const std::string& name, const std::vector<std::string>& placeholders,
                             std::vector<ConfigProblem>& problems) const {
  const auto found = texts_.find(name);
  auto parsed = Prompt::parse(found == texts_.end() ? std::string() : found->second, placeholders);
  if (parsed) return std::move(*parsed);
  const auto origin = origins_.find(name);
  problems.push_back({origin == origins_.end() ? "built-in prompt" : origin->second, "prompts." + name,
                      parsed.error().text()});
  return Prompt();
}

Json PromptLibrary::schema(const std::string& name) const {
  const auto found = schemas_.find(name);
  if (found == schemas_.end()) return JsonObject{};
  auto parsed = parse_json(found->second);
  return parsed ? std::move(*parsed) : Json(JsonObject{});
}

std::vector<std::string> PromptLibrary::names() const {
  std::vector<std::string> list;
  list.reserve(texts_.size());
  for (const auto& [name, text] : texts_) list.push_back(name);
  return list;
}

std::map<std::string, std::string> PromptLibrary::fingerprints(std::string_view beginning) const {
  constexpr std::size_t kDigits = 16;
  std::map<std::string, std::string> prints;
  for (const auto& [name, text] : texts_) {
    if (name.starts_with(beginning)) prints.emplace(name, hex(sha256(text)).substr(0, kDigits));
  }
  return prints;
}

std::string block(std::string_view tag, std::string_view text) {
  std::string out = fmt::format("<{}>\n", tag);
  const std::string closing = fmt::format("</{}", tag);
  while (!text.empty()) {
    const std::size_t at = text.find(closing);
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) break;
    out += "&lt;/";
    text.remove_prefix(at + 2);
  }
  out += fmt::format("\n</{}>", tag);
  return out;
}

std::string numbered(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // One item is one line, so that a line break inside it cannot pass for the next number.
    std::string line = items[i];
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    out += fmt::format("{}. {}\n", i + 1, line);
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace assay
