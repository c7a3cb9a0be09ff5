#include "imports/promptfoo/prompts.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay::promptfoo {
namespace {

class PromptReader {
 public:
  explicit PromptReader(Reading& reading) : reading_(reading) {}

  void read(const Node& entry) {
    if (entry.is_text()) {
      read_text(entry.text(), "", "", entry);
    } else if (entry.is_object()) {
      const std::string raw = entry.member("raw").is_text() ? entry.text_of("raw") : entry.text_of("id");
      if (entry.member("config").present())
        reading_.leave_out(entry.member("config"), "config of a prompt",
                           "a prompt has no settings of its own; give each variant its model's");
      read_text(raw, entry.text_of("id"), entry.text_of("label"), entry);
    } else {
      leave_out(entry, "it is neither a text nor an object");
    }
  }

  std::vector<Prompt> take() { return std::move(prompts_); }

 private:
  void leave_out(const Node& at, const std::string& why) { reading_.leave_out(at, "prompt", why); }

  void read_text(const std::string& raw, const std::string& id, const std::string& label, const Node& at) {
    std::string path = file_of(raw);
    // A bare name is a file if it ends like one, as promptfoo has it.
    const std::string end = extension_of(raw);
    const bool one_word = raw.find_first_of(" \n{") == std::string::npos;
    if (path.empty() && one_word &&
        (end == ".txt" || end == ".json" || end == ".yaml" || end == ".yml" || end == ".md" || end == ".py" ||
         end == ".j2" || end == ".js" || end == ".mjs"))
      path = raw;
    if (path.empty()) {
      add(raw, id, label, "", at);
    } else if (path.find_first_of("*?") != std::string::npos) {
      const std::vector<std::string> matching = reading_.files.matching(path);
      if (matching.empty()) leave_out(at, fmt::format("no file fits {}", path));
      for (const std::string& one : matching) read_file(one, id, label, at);
    } else {
      read_file(path, id, label, at);
    }
  }

  void read_file(const std::string& path, const std::string& id, const std::string& label, const Node& at) {
    const std::string end = extension_of(path.substr(0, path.find(':')));
    if (end == ".py" || end == ".js" || end == ".mjs" || end == ".cjs" || end == ".ts") {
      leave_out(at, fmt::format("{} is a program that makes prompts; write what it makes into a file", path));
      return;
    }
    if (end == ".csv" || end == ".jsonl") {
      leave_out(at, fmt::format("prompts in {} files are not read; give each a .txt", end));
      return;
    }
    const auto text = reading_.files.read(path);
    if (!text) {
      leave_out(at, text.error().text());
      return;
    }
    const std::string name = label.empty() ? stem_of_path(path) : label;
    if (end != ".txt") {
      add(*text, id.empty() ? path : id, label, name, at);
      return;
    }
    std::string buffer;
    std::vector<std::string> parts;
    const auto flush = [&] {
      if (!trim(buffer).empty()) parts.emplace_back(trim(buffer));
      buffer.clear();
    };
    for (const std::string_view line : split_lines(*text)) {
      if (trim(line) == "---") {
        flush();
      } else {
        buffer += line;
        buffer += '\n';
      }
    }
    flush();
    for (const std::string& part : parts) add(part, id.empty() ? path : id, label, name, at);
  }

  // Chat messages, if the text is a list of them; nothing if it is plain text.
  std::optional<std::vector<std::pair<std::string, std::string>>> messages_of(std::string_view text) {
    const std::string_view start = trim(text);
    if (!start.starts_with('[') && !start.starts_with("- ")) return std::nullopt;
    const auto document = read_document("", text);
    if (!document || !document->is_list()) return std::nullopt;
    std::vector<std::pair<std::string, std::string>> out;
    for (const Node& message : document->items()) {
      const std::string role = message.text_of("role");
      if (role.empty()) return std::nullopt;
      out.emplace_back(role, message.text_of("content"));
      if (!message.member("content").is_text()) return std::nullopt;
    }
    return out;
  }

  void add(const std::string& raw, const std::string& id, const std::string& label, const std::string& name,
           const Node& at) {
    Prompt prompt;
    prompt.id = id.empty() ? raw : id;
    prompt.label = label.empty() ? raw : label;
    prompt.at = at;
    std::vector<std::pair<std::string, std::string>> texts = {{"user", raw}};
    if (auto messages = messages_of(raw)) {
      texts = std::move(*messages);
      prompt.chat = true;
    } else if (trim(raw).starts_with('[') && raw.find("\"role\"") != std::string::npos) {
      leave_out(at, "messages with other contents than texts (pictures, tool calls, templates around them)");
      return;
    }
    for (auto& [role, text] : texts) {
      auto pattern = parse_template(text);
      if (!pattern) {
        leave_out(at, pattern.error().message + "; write out what it makes");
        return;
      }
      if (role != "user" && role != "system" && role != "assistant") {
        leave_out(at, fmt::format("messages of the role {} have no counterpart", role));
        return;
      }
      prompt.turns.push_back({role, std::move(*pattern)});
    }
    const std::string wanted = !name.empty() ? name : label;
    prompt.name = unique_name(plain_name(wanted, fmt::format("prompt_{}", prompts_.size() + 1)), names_);
    prompts_.push_back(std::move(prompt));
  }

  Reading& reading_;
  std::vector<Prompt> prompts_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<Prompt> read_prompts(const Node& prompts, Reading& reading) {
  PromptReader reader(reading);
  if (prompts.is_text()) {
    reader.read(prompts);
  } else if (prompts.is_object()) {
    // The old form: a file and the name that goes with it.
    for (const auto& [file, label] : prompts.members()) {
      const Json entry = {{"raw", file}, {"label", label.text()}};
      reader.read(line_document(prompts.place(), 0, entry));
    }
  }
  for (const Node& entry : prompts.items()) reader.read(entry);
  return reader.take();
}

}  // namespace assay::promptfoo
