// One walk of a value along a compiled schema. Everything on the way (where in the value, which resources
// were entered) lives on the stack, and words are made only for a defect that somebody wants to hear.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "core/schema/marks.h"
#include "core/schema/registry.h"
#include "core/schema/schema.h"
#include "core/schema/tree.h"

namespace assay::schema {

// The way from the whole instance to the value at hand, written out only for a defect.
struct Path {
  const Path* parent = nullptr;
  std::string_view key;
  std::size_t index = kNoLimit;  // of an item; a key if there is none

  std::string pointer() const;
};

// The resources that were entered on the way, innermost first.
struct Entered {
  const Entered* outer = nullptr;
  const Scope* scope = nullptr;
};

struct Sink {
  std::vector<SchemaDefect> defects;
  std::size_t limit = 1000;
  bool full() const { return defects.size() >= limit; }
};

// One bit of TypeBit: whole numbers are kInteger, however they are spelled.
std::uint8_t type_of(const Json& value);

class Walk {
 public:
  // Without a sink the walk ends at the first defect.
  Walk(const Tree& tree, Sink* sink) : tree_(tree), sink_(sink) {}

  bool run(const Json& instance);
  // Why the walk was given up; null if it was not.
  const char* stopped() const { return stopped_; }

 private:
  // For the time of a yes-or-no question, or of gathering the defects of one alternative apart.
  class Redirect {
   public:
    Redirect(Walk& walk, Sink* sink) : walk_(walk), before_(walk.sink_) { walk.sink_ = sink; }
    ~Redirect() { walk_.sink_ = before_; }
    Redirect(const Redirect&) = delete;
    Redirect& operator=(const Redirect&) = delete;

   private:
    Walk& walk_;
    Sink* before_;
  };

  // Gathers the verdicts of a schema's rules.
  class Verdict {
   public:
    Verdict(const Walk& walk, bool ok) : walk_(walk), ok_(ok) {}
    // True if nothing that follows matters any more.
    bool decided(bool passed) {
      ok_ = ok_ && passed;
      return !ok_ && walk_.quick();
    }
    bool ok() const { return ok_; }

   private:
    const Walk& walk_;
    bool ok_;
  };

  // What most rules need: the schema at hand, where the value is, and what happens around it.
  struct Site {
    const Node& node;
    const Path& path;
    const Entered* entered;
  };

  // Nobody wants to know more than that the value does not fit.
  bool quick() const { return sink_ == nullptr || sink_->full(); }

  // Always false, so that a rule can return it. `message` is only called if somebody listens.
  template <class Message>
  bool defect(const Node& node, std::string_view keyword, const Path& path, Message message) {
    if (!quick()) {
      auto location = keyword.empty() ? node.location : below(node.location, keyword);
      sink_->defects.push_back({path.pointer(), std::move(location), message()});
    }
    return false;
  }

  bool check(const Node& node, const Json& value, const Path& path, const Entered* entered, Marks* outer);
  // Yes or no. Marks count only if the answer is yes.
  bool fits(const Node& node, const Json& value, const Path& path, const Entered* entered, Marks* marks);
  bool check_rules(const Site& site, const Json& value, Marks* outer);

  bool check_type(const Site& site, const Json& value);
  bool check_value(const Site& site, const Json& value);
  bool check_number(const Site& site, const Json& value);
  bool check_text(const Site& site, const Json& value);

  struct SizeRule {
    std::size_t least;
    std::size_t most;
    std::string_view least_keyword;
    std::string_view most_keyword;
    std::string_view one;
    std::string_view many;
  };
  bool check_size(const Site& site, std::size_t size, const SizeRule& rule);

  bool check_list(const Site& site, const Json& value, Marks* outer, bool ok);
  bool check_items(const Site& site, const JsonArray& list, Marks* marks);
  bool check_item(const Site& site, const Node& rule, std::string_view keyword, const JsonArray& list,
                  std::size_t i);
  bool check_unique(const Site& site, const JsonArray& list);
  bool check_contains(const Site& site, const JsonArray& list, Marks* marks);

  using Member = boost::json::key_value_pair;
  bool check_object(const Site& site, const Json& value, Marks* outer, bool ok);
  bool check_member(const Site& site, const Member& member, std::size_t position, Marks* marks);
  bool check_rest(const Site& site, const Node& rule, std::string_view keyword, const Member& member);
  bool check_name(const Node& rule, std::string_view name, const Path& path, const Entered* entered);
  bool check_name_text(const Node& rule, const Json& text, const Path& path, const Entered* entered);
  bool check_dependency(const Site& site, const Dependency& dependency, const Json& value, Marks* marks);

  bool check_logic(const Site& site, const Json& value, Marks* marks);
  bool check_any(const Site& site, const Json& value, Marks* marks);
  bool check_one(const Site& site, const Json& value, Marks* marks);
  void explain_alternatives(const Site& site, std::string_view keyword, const std::vector<const Node*>& rules,
                            const Json& value);

  // Answers of fits(), since alternatives inside alternatives ask the same again and again. By the addresses
  // of schema and value, so not while the value is a member's name, which is made for the question.
  using Question = std::pair<const Node*, const Json*>;
  struct QuestionHash {
    std::size_t operator()(const Question& question) const {
      return std::hash<const void*>()(question.first) * 31 + std::hash<const void*>()(question.second);
    }
  };

  const Tree& tree_;
  Sink* sink_;
  std::unordered_map<Question, bool, QuestionHash> answers_;
  bool in_name_ = false;
  std::size_t explanations_ = 0;
  std::size_t depth_ = 0;
  std::size_t steps_ = 0;
  const char* stopped_ = nullptr;
};

}  // namespace assay::schema
