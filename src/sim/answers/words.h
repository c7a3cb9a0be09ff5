// Text as a simple model sees it: words without endings, sentences, and a few tell-tale phrases. English,
// since that is what prompts are written in; other languages are split at spaces and punctuation all the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::sim {

// The set of a text's content words: stop words left out, plural and tense endings cut. Sorted hashes, so
// that sets are compared by merging.
class WordSet {
 public:
  WordSet() = default;
  explicit WordSet(std::string_view text);

  std::size_t size() const { return stems_.size(); }
  bool empty() const { return stems_.empty(); }
  bool contains(std::uint64_t stem) const;
  std::size_t shared_with(const WordSet& other) const;
  WordSet& operator+=(const WordSet& other);
  const std::vector<std::uint64_t>& stems() const { return stems_; }

 private:
  std::vector<std::uint64_t> stems_;
};

// Share of `part`'s words that `whole` has too, or of the smaller of both sets if that is more: 0 to 1.
double overlap(const WordSet& part, const WordSet& whole);

// Words of the text in order, as written, without punctuation around them.
std::vector<std::string_view> split_words(std::string_view text);
std::uint64_t stem_of(std::string_view word);
bool is_stop_word(std::string_view word);

// Sentences without list marks, white space at the ends and headings' colons; at most `most`.
std::vector<std::string_view> split_sentences(std::string_view text, std::size_t most = 64);

bool has_negation(std::string_view text);
// Numbers of `text` (digits with points and commas) that `reference` does not hold; a sign of contradiction.
bool has_foreign_number(std::string_view text, std::string_view reference);
// How many phrases that try to turn a model against its instructions the text holds.
std::size_t count_manipulations(std::string_view text);
// How many words that generalise about people or judge them the text holds.
std::size_t count_biases(std::string_view text);
// Without regard to ASCII case.
bool contains_text(std::string_view text, std::string_view part);

}  // namespace assay::sim
