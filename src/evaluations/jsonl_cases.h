// Cases from a file of records: the one source of every evaluation that reads lines, be they JSON Lines or
// what another format has in their place (core/tables/record_reader.h). A line is one case, or several (one
// per persona). Where `fields` says so, and of a table always, it is first rewritten to the evaluation's own
// fields (data/field_map.h). Every line is checked, and a bad one is passed over and told completely; ids are
// unique. How a line is read is declared by its form: flat fields (components/data.h) or a tree (TreeLines).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "core/json/jsonl.h"
#include "engine/work.h"
#include "evaluations/data/data_file.h"
#include "evaluations/data/unread_keys.h"

namespace assay {

// Reads one line at a time. What it has read is valid until the next line.
class LineForm {
 public:
  virtual ~LineForm() = default;
  struct Findings {
    std::vector<std::string> errors;  // each in words with its place in the line; empty: the line is good
    std::vector<std::string> warnings;
    bool named = false;  // id() may be asked: the line is good, or bad in another way
    void clear() {
      errors.clear();
      warnings.clear();
      named = false;
    }
  };
  virtual void read(const Line& line, Findings& found) = 0;
  // What names the line, "" if nothing does, or an error in words.
  virtual Result<std::string_view> id() = 0;
  // Which lines belong together; "" if none do.
  virtual std::string_view cluster() { return {}; }
  // Warnings about all lines together, once the last one is read.
  virtual std::vector<std::string> at_end() { return {}; }
  // Lends the case what was parsed.
  virtual void lend(Case& current) const = 0;
  // "the id": what a line's name is called in messages.
  virtual std::string_view id_words() const = 0;
};

// `wanted`: what the evaluation's fields are, for cells of a table. `parts`: what the ids of a line's cases
// have behind the line's own; one empty text: the line is one case.
Result<std::unique_ptr<CaseSource>> open_cases(const DataFile& data, std::unique_ptr<LineForm> form,
                                               WantedFields wanted = {},
                                               std::vector<std::string> parts = {""});

// Lines that are trees rather than flat fields: a conversation with its events, an item with its
// classifications.
struct TreeLines {
  DataFile data;
  // Of cells of a table, where `fields` gives no type; empty: each is a text under its own name.
  WantedFields wanted = {};
  // Everything that is wrong with a line, in words with the place; empty if it is good.
  std::function<std::vector<std::string>(const Json& line)> check;
  // What names the line; "" makes its number the name. Asked of good lines only.
  std::function<std::string(const Json& line)> id;
  // Which lines belong together; "" or empty: none.
  std::function<std::string(const Json& line)> cluster = {};
  // Counts the keys inside a good line's fields, by field, that nothing reads.
  std::function<void(const Json& line, std::map<std::string, KeyCounts>& unread)> count_unread = {};
  std::vector<std::string> parts = {""};
};

// What names a line, or what it belongs to, in one of its fields: a text, or a number as one; "" for nothing.
std::string text_of_id(const Json& line, std::string_view field);

// `lines` must outlive the source.
Result<std::unique_ptr<CaseSource>> open_trees(const TreeLines& lines);

}  // namespace assay
