// Prompt texts: files under prompts/, compiled in, each replaceable by the user's own (`prompts:` in the
// config). A file has a part for each message, begun by a line `=== system` or `=== user`; `{name}` stands
// for a value. Only declared placeholders are filled, all other braces stay.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "models/chat.h"

namespace assay {

class Prompt {
 public:
  // Fails if a part is unknown, or a placeholder of `needed` is not used.
  static Result<Prompt> parse(std::string_view text, const std::vector<std::string>& needed);

  using Values = std::vector<std::pair<std::string_view, std::string>>;
  std::vector<Message> render(const Values& values) const;

 private:
  std::vector<Message> parts_;
};

// The texts in force: built in, with the user's own over them.
class PromptLibrary {
 public:
  PromptLibrary();
  // `{"rag/coherence": "my.txt"}`; unknown names and unreadable files become problems.
  void replace(const Config& config, std::vector<ConfigProblem>& problems);
  // The text of a built-in name such as "rag/coherence"; a wrong user file becomes a problem.
  Prompt prompt(const std::string& name, const std::vector<std::string>& placeholders,
                std::vector<ConfigProblem>& problems) const;
  // The JSON schema that belongs to the prompt: the file of the same name with .json.
  Json schema(const std::string& name) const;
  std::vector<std::string> names() const;
  // Of the texts in force whose name begins so: what tells two wordings apart.
  std::map<std::string, std::string> fingerprints(std::string_view beginning) const;

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::string> schemas_;
  std::map<std::string, std::string> origins_;  // of replaced ones: the file
};

// Foreign text inside <tag>…</tag>: its own closing tags are defused, so that it cannot end its block early.
std::string block(std::string_view tag, std::string_view text);
// "1. …" lines.
std::string numbered(const std::vector<std::string>& items);

}  // namespace assay
