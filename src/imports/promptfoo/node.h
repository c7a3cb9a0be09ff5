// A value of a foreign file that knows where it stands, so that whatever cannot be taken is told with its
// place. Nodes share their document and are cheap to copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/yaml.h"

namespace assay::promptfoo {

struct Document {
  std::string file;
  YamlDocument content;
  std::uint64_t line = 0;  // of the whole document, where it is a line or row of a file; 0: `content` knows
};

class Node {
 public:
  Node() = default;  // absent
  explicit Node(std::shared_ptr<const Document> document);

  bool present() const { return value_ != nullptr && !value_->is_null(); }
  // Null if absent.
  const Json& value() const;
  Node member(std::string_view key) const;
  std::vector<Node> items() const;  // of a list; empty if it is none
  std::vector<std::pair<std::string, Node>> members() const;

  bool is_text() const { return present() && value_->is_string(); }
  bool is_list() const { return present() && value_->is_array(); }
  bool is_object() const { return present() && value_->is_object(); }
  // "" if it is no text.
  std::string text() const;
  // The text of a member, or "".
  std::string text_of(std::string_view key) const { return member(key).text(); }

  // "promptfooconfig.yaml, line 12"
  std::string place() const;

 private:
  std::shared_ptr<const Document> document_;
  std::string pointer_;
  const Json* value_ = nullptr;
};

// YAML, of which JSON is a part; the error names file and line.
Result<Node> read_document(const std::string& file, std::string_view text);
// A value that stands on one line of a file.
Node line_document(const std::string& file, std::uint64_t line, Json value);

}  // namespace assay::promptfoo
