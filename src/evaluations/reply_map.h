// `map` of a target: where in a reply each field stands. An entry is a JSON pointer, or an object with a
// pointer and one small function on what stands there:
//
//   map:
//     output: /reply/text
//     actual_triggered:  {at: /verdict, bool_of: {guardrails_pass: false}}   every other verdict is true
//     topics:            {at: /topics, names: label}        [{label: tax}, …] → [tax, …]
//     failed:            {at: /failed, names: true}         the keys of an object
//     actual_guardrails: {at: /failures, flags: true}       [pii, …] → {pii: true, …}
//     triggered:         {at: /failures, any: true}         whether something is in it
//     contexts:          {at: /hits, each: /source/text}    the pointer in each element
//     answer:            {at: /choices, first: true}
//     text:              {at: /parts, join: " "}
//
// Pure; a map that cannot be is told when the config is read.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"

namespace assay {

class ReplyMap {
 public:
  // From the value of the key `key` ("target.map"). `known`: the names that fields may have; empty: any.
  static ReplyMap read(const Json& config, std::span<const std::string> known, const std::string& key,
                       std::vector<ConfigProblem>& problems);

  bool empty() const { return entries_.empty(); }
  bool has(std::string_view field) const { return find(field) != nullptr; }
  // Whether the field is made of the whole reply, which may then be any text.
  bool takes_whole(std::string_view field) const;
  // Adds the other's entries; of two for one field the other's counts.
  void add(ReplyMap other);

  // What the entry of the field gives: nothing if nothing stands there, an error in words (without context)
  // if a function cannot be applied. A field without an entry is looked up under its own name at the top.
  Result<std::optional<Json>> value(const Json& reply, std::string_view field) const;
  // Every field that has an entry and is there; the first error, with its field.
  Result<JsonObject> apply(const Json& reply) const;
  // "nothing at /data/label": why the field is not there.
  std::string absent_words(std::string_view field) const;

 private:
  struct Names {
    std::string member;  // "": the keys of an object
  };
  struct BoolOf {
    std::map<std::string, bool, std::less<>> values;
    std::optional<bool> others;  // of values that are not listed, but null; nothing: they are an error
  };
  struct Each {
    std::string pointer;
  };
  struct First {};
  struct Join {
    std::string separator;
  };
  struct Flags {};
  struct Any {};
  using Function = std::variant<std::monostate, Names, BoolOf, Each, First, Join, Flags, Any>;
  struct Entry {
    std::string field;
    std::string pointer;
    Function function;
  };

  const Entry* find(std::string_view field) const;
  static std::optional<Entry> read_entry(std::string_view field, const Json& given, const std::string& path,
                                         std::vector<ConfigProblem>& problems);
  static std::optional<Function> read_function(std::string_view name, const Json& given,
                                               const std::string& path, std::vector<ConfigProblem>& problems);
  static Result<std::optional<Json>> applied(const Names& names, const Json& found);
  static Result<std::optional<Json>> applied(const BoolOf& values, const Json& found);
  static Result<std::optional<Json>> applied(const Each& each, const Json& found);
  static Result<std::optional<Json>> applied(const First& first, const Json& found);
  static Result<std::optional<Json>> applied(const Join& join, const Json& found);
  static Result<std::optional<Json>> applied(const Flags& flags, const Json& found);
  static Result<std::optional<Json>> applied(const Any& any, const Json& found);
  static Result<std::optional<Json>> applied(std::monostate none, const Json& found);

  std::vector<Entry> entries_;
};

}  // namespace assay
