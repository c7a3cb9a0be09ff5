// What a judge is put under stress with: a case is shown to it with one thing changed. A change either must
// not matter (how the answer is dressed, what it says of itself, where things stand) or is a fault that must
// matter. Each is a pure function of the texts; the table in changes.cc has them all.
//
// Texts that are added are English; a fault is planted only where what the judge is shown speaks of it, since
// elsewhere nobody could notice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "core/random.h"

namespace assay::stress {

// What a judge is shown of a case, as far as it can be changed or shows where a fault can be planted.
struct JudgedTexts {
  std::string answer;
  JsonArray contexts = {};     // as the data have them
  std::string reference = {};  // what the answer is held against; "" if nothing
  std::string sources = {};    // the contexts as text
  std::string elsewhere = {};  // what the judge sees of the answer beside the text that is changed
};

// By what a planted fault can be noticed.
struct Grounds {
  bool reference = false;
  bool contexts = false;
  bool any() const { return reference || contexts; }
};

struct ChangedTexts {
  std::string answer;
  JsonArray contexts = {};
  Grounds grounds = {};  // of a fault
};

enum class Matter { must_not, must };
enum class Part { answer, contexts };

struct Change {
  std::string_view name;  // "authority": what follows the ~ in the id of a changed case
  Matter matter = Matter::must_not;
  Part part = Part::answer;  // that it changes
  std::string_view what;     // in a sentence: "claims of authority"
  std::string_view does;     // what is done to the text
  // What is said of a judge whose score it moves, up or down: "is impressed by claims of authority".
  std::string_view raised = {};
  std::string_view lowered = {};
  // It adds sentences of its own, which a metric that counts statements has to count.
  bool adds_statements = false;
  // Nothing where it cannot be applied: no figure to falsify, nothing that would show it.
  std::optional<ChangedTexts> (*apply)(const JudgedTexts& texts, Random random) = nullptr;
};

std::span<const Change> changes();
const Change* find_change(std::string_view name);

// Each as the table has it. Those that must not matter:
std::optional<ChangedTexts> with_padding(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> as_bullets(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> in_another_format(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_authority(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_model_names(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_order_in_answer(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_order_in_context(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_contexts_turned(const JudgedTexts& texts, Random random);
// and those that must:
std::optional<ChangedTexts> with_wrong_figure(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_negation(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_invented_source(const JudgedTexts& texts, Random random);
std::optional<ChangedTexts> with_sentence_left_out(const JudgedTexts& texts, Random random);

}  // namespace assay::stress
