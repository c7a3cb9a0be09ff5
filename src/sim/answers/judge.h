// How the simulated model fills a schema with sense, from nothing but the request. The rules go by property
// names, descriptions, the values that a schema allows, and the blocks of the prompt (material.h):
//
//   lists of texts       claims, statements, opinions, sentences: the sentences of the answer; truths, facts:
//   those
//                        of the ideal answer or the context; needs: those of the question; a list named like
//                        a block: those of that block; TP, FP, FN: sentences of answer and ideal answer by
//                        whether the other side has them
//                        the other side has them; inside the entry for a numbered part (<context_2>): those
//                        of it
//   lists of verdicts    (entries with an id, or named verdicts, checks, results, …) one entry per numbered
//   item of
//                        the prompt, with the item's number as id
//   yes / no / unsure    (enum values by a small lexicon of words for each, or true / false) by support: how
//   much
//                        of the item's words the rest of the material has; a number or a negation that the
//                        material lacks counts as contradiction. Where name, description or instructions
//                        speak of jailbreaks or bias, by phrases that are typical of those
//   a requirement        (a block <requirement>, <rubric> or <criterion> beside an <answer> or <output>):
//   fulfilled if
//                        the answer has at least half of its words, or if it is negated (“does not …”) fewer.
//                        Nothing else in the request counts, so two prompts that ask the same get the same
//                        verdict
//   criteria             (a block of them beside an <answer>): those that ask for what is expected by how far
//                        the answer says what the block <expected> says
//   labels               (other enums) by the words that the subject shares with a label, its description in
//   the
//                        schema and its line in the prompt; "other" and the like if nothing is shared; a
//                        second label is the runner-up. Labels that name blocks (A, B, tie) by those texts'
//                        quality
//   scores               (numbers with bounds, from the schema or from words like "1 to 5") by quality:
//   length,
//                        words shared with the question, little repetition; confidence by how clear a
//                        decision was
//   a JSON document      as the last message: lists and ids that repeat its own (document.h); decisions about
//   an entry
//                        by how far its short texts share words with its longest
//   reasons              a sentence that fits the decision; answers: sentences of the context that share
//   words
//                        with the question
//
// Each decision is wrong with the probability `noise`, so that metrics look like those of a real judge. Equal
// requests give equal decisions, and all properties of one entry follow from one decision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/answers/document.h"
#include "sim/answers/instance.h"
#include "sim/answers/material.h"
#include "sim/chance.h"
#include "sim/weaknesses.h"

namespace assay::sim {

class Judge : public Suggestions {
 public:
  // All must outlive the judge.
  Judge(const Material& material, const Document& document, const Chance& chance, double noise,
        Weaknesses weak = {});

  std::optional<std::size_t> length(const Place& list) const override;
  std::optional<Json> value(const Place& place) const override;
  std::span<const std::string> words() const override { return material_.words(); }

  // A few sentences in answer to the request, for plain text and for properties like `answer`.
  std::string prose() const;

 private:
  struct Label {
    const Json* value;
    double score;
    std::size_t position;
  };

  const Item* item_at(const Place& place) const;
  // For a list of texts inside the entry for a part of a block (<context_2>): the sentences of that part.
  std::optional<std::vector<std::string_view>> texts_of_part(const Place& list) const;
  std::optional<std::vector<std::string_view>> texts_named(std::string_view name) const;
  std::vector<std::string_view> classified_facts(char kind) const;
  double support(const Place& place) const;
  double support_of(std::string_view text) const;
  // What its weaknesses make of a decision, or of a text's quality.
  double swayed(double support, const Item* item, bool yes_is_good) const;
  double flattered(double quality, std::string_view text, std::size_t words) const;
  const std::string& judged_text() const;
  bool ordered() const;
  std::string_view expected_by(const Item& item) const;
  double agreement_with(std::string_view expected) const;
  double fulfilment() const;
  void read_references() const;
  double quality(std::string_view text) const;
  // What a decision is about, where phrases tell more than shared words.
  enum class Topic { none, attack, bias };
  Topic topic_of(const Place& place) const;
  Topic topic_of_instructions() const;
  const WordSet& subject_words() const;
  std::vector<Label> ranked_labels(const Place& place) const;
  std::optional<Json> choose(const Place& place) const;
  std::optional<Json> choose_block(const Place& place) const;
  std::optional<Json> choose_label(const Place& place) const;
  std::optional<Json> boolean(const Place& place) const;
  std::optional<Json> number(const Place& place) const;
  std::optional<Json> text(const Place& place) const;
  std::string reason(const Place& place) const;
  // Decisions are drawn by what they are about: the entry for a list's entry, else the property.
  Chance decision(const Place& place) const;

  const Material& material_;
  const Document& document_;
  const Chance& chance_;
  double noise_;
  Weaknesses weak_;
  // Read on demand and once: a long list of verdicts asks for the same again and again.
  mutable std::optional<WordSet> subject_words_;
  mutable std::optional<std::string> judged_text_;
  mutable std::optional<Topic> instructions_topic_;
  mutable bool read_references_ = false;
  mutable WordSet references_;
  mutable std::string_view longest_reference_;
  struct Sentence {
    WordSet words;
    bool negated;
  };
  mutable std::vector<Sentence> reference_sentences_;
  mutable std::vector<std::optional<double>> supports_;  // of the whole answer, then of each item
};

}  // namespace assay::sim
