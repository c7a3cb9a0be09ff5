// What a request shows, taken apart as a reader would: blocks between lines like <question> and </question>,
// numbered lists inside them, the instructions around them, and lines that explain labels. Knows nothing of
// any particular evaluation; views point into the request, which must outlive the material.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/chat.h"
#include "sim/answers/words.h"

namespace assay::sim {

struct Item {
  std::string_view id;  // "3" of "3. text"
  std::string_view text;
};

struct Block {
  std::string_view name;  // as in <name>
  std::string_view text;
  std::vector<Item> items;  // numbered lines; a line without number continues the one before
  bool parted = false;      // the items are blocks of their own inside it: <context_1>, <context_2>, …
};

class Material {
 public:
  explicit Material(const ChatRequest& request);

  std::span<const Block> blocks() const { return blocks_; }
  // The first of these names that is there, compared without case; null if none.
  const Block* find(std::span<const std::string_view> names) const;
  // The numbered list that verdicts are asked about: the one whose name the instructions mention after "each"
  // or "every", else one that is usually judged (claims, statements, opinions, …), else the last. Null if
  // none.
  const Block* judged_items() const { return judged_items_; }
  // The text that is to be classified: the block of a question or message, else what the user wrote last.
  std::string_view subject() const { return subject_; }
  // What an answer is held against as a whole: a block <requirement>, <rubric> or <criterion>; empty if the
  // material has none, or no block with an answer.
  std::string_view requirement() const;
  // The text whose quality is asked about: an answer, else the subject.
  std::string_view answer() const;
  // System text and what stands outside of blocks, in lower case.
  const std::string& instructions() const { return instructions_; }
  // Of lines with a number under that name ("index": 3), in blocks of the last message: the number of the one
  // that shares most words with the text. Nothing if there are none.
  std::optional<std::int64_t> numbered_part(std::string_view name, std::string_view text) const;
  // What a line like "- label: description" says of a label; empty if nothing does.
  std::string_view explanation(std::string_view label) const;
  // Content words of the subject and the blocks, in order, each once: what prose is made of.
  std::span<const std::string> words() const;

 private:
  void take_blocks(std::string_view text);
  void choose_judged_items();
  void choose_words() const;

  std::vector<Block> blocks_;
  std::vector<std::string_view> sources_;  // system texts, and the last user message
  std::string instructions_;
  std::string_view subject_;
  const Block* judged_items_ = nullptr;
  mutable std::optional<std::vector<std::string>> words_;  // read on demand: most answers need none
};

}  // namespace assay::sim
