// A request whose last message is a JSON document: which of its lists an answer's lists speak of, and what an
// entry of an answer repeats from it. A reader who is asked for one result per item copies the items' ids; so
// does the simulated model, by names alone:
//
//   an answer's list speaks of the nearest list of objects that has what its entries name: the same object of
//   ids, a member of the same name, or one whose name is that of the list and the member together
//   (`classificationName` for `name` in `classifications`)
//   a text repeats the member that matches in the same way, or the one that its description puts in `quotes`
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/answers/instance.h"

namespace assay::sim {

class Document {
 public:
  // Nothing is there unless the last user message is one JSON object.
  explicit Document(const ChatRequest& request);

  // How many entries the list has; nothing if it speaks of no list of the document. Lists are asked for from
  // the outside in.
  std::optional<std::size_t> length(const Place& list) const;
  std::optional<Json> repeated(const Place& place) const;
  // Whether the place belongs to an entry that speaks of the document.
  bool speaks_of(const Place& place) const { return !entries_around(place.path).empty(); }
  // The longest text of the entry; "" if there is none.
  std::string_view longest_text(const Place& place) const;
  // How far the short texts of the entry are borne out by its longest one, 0 to 1.
  double support(const Place& place) const;

 private:
  std::vector<std::string_view> texts(const Place& place) const;
  struct Source {
    const JsonArray* list = nullptr;
    std::string name;
  };
  struct Entry {
    const JsonObject* object = nullptr;
    std::string list;       // its name
    std::size_t depth = 0;  // steps of the path up to and with its index
  };
  // The entries of the document that enclose the path, innermost first.
  std::vector<Entry> entries_around(std::span<const Step> path) const;

  std::optional<Json> root_;
  mutable std::map<std::string, Source> lists_;  // by the path of the answer's list
};

}  // namespace assay::sim
