#include "imports/promptfoo/node.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::promptfoo {
namespace {

const Json kNothing;

// As RFC 6901 writes a key.
std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Node::Node(std::shared_ptr<const Document> document)
    : document_(std::move(document)), value_(&document_->content.value) {}

const Json& Node::value() const {
  return value_ == nullptr ? kNothing : *value_;
}

Node Node::member(std::string_view key) const {
  const Json* found = value_ == nullptr ? nullptr : find_member(*value_, key);
  if (found == nullptr) return {};
  Node out = *this;
  out.pointer_ += "/" + escaped(key);
  out.value_ = found;
  return out;
}

std::vector<Node> Node::items() const {
  std::vector<Node> out;
  if (!is_list()) return out;
  const JsonArray& list = value_->get_array();
  out.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    Node item = *this;
    item.pointer_ += fmt::format("/{}", i);
    item.value_ = &list[i];
    out.push_back(std::move(item));
  }
  return out;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> out;
  if (!is_object()) return out;
  for (const auto& [key, value] : value_->get_object()) out.emplace_back(key, member(key));
  return out;
}

std::string Node::text() const {
  return is_text() ? std::string(value_->get_string()) : "";
}

std::string Node::place() const {
  if (!document_) return "";
  if (document_->line != 0) return fmt::format("{}, line {}", document_->file, document_->line);
  // A value that a merge brought has no position of its own; what holds it does.
  std::string pointer = pointer_;
  while (true) {
    const YamlPosition position = document_->content.position(pointer);
    if (position.line != 0) return fmt::format("{}, line {}", document_->file, position.line);
    if (pointer.empty()) return document_->file;
    pointer.resize(pointer.rfind('/'));
  }
}

Result<Node> read_document(const std::string& file, std::string_view text) {
  auto content = parse_yaml(text);
  if (!content) return fail(std::move(content.error()).with("file", file));
  return Node(std::make_shared<const Document>(Document{file, std::move(*content), 0}));
}

Node line_document(const std::string& file, std::uint64_t line, Json value) {
  return Node(std::make_shared<const Document>(Document{file, YamlDocument{std::move(value), {}}, line}));
}

}  // namespace assay::promptfoo
