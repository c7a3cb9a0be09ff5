// What every part of the import shares while a suite is read: its files, and the list of what could not be
// taken.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "imports/imported.h"
#include "imports/promptfoo/node.h"

namespace assay::promptfoo {

struct Reading {
  const SuiteFiles& files;
  std::vector<LeftOut> left_out = {};
  std::vector<LeftOut> notes = {};
  // The same thing at the same place is told once, however many tests have it; a note once altogether.
  std::set<std::tuple<std::string, std::string, std::string>> told = {};

  void leave_out(const Node& at, const std::string& what, const std::string& why) {
    if (told.emplace(at.place(), what, why).second) left_out.push_back({at.place(), what, why});
  }
  void note(const Node& at, const std::string& what, const std::string& why) {
    if (told.emplace("", what, why).second) notes.push_back({at.place(), what, why});
  }
};

// Whether the word is one of a table's.
template <class Words>
bool among(std::string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::ranges::end(words);
}

// Headers of a request, variables as ${NAME}. A secret that is written out is not copied, which is told.
JsonObject headers_of(const Node& headers, const std::string& whose, Reading& reading);

// "file://a/b.txt" → "a/b.txt"; "" if the text names no file.
std::string file_of(std::string_view text);
// ".csv" of "tests/a.csv", in lower case; "" without one.
std::string extension_of(std::string_view path);
// "b" of "a/b.txt".
std::string stem_of_path(std::string_view path);

// A name for a config: small letters, digits and `_`, at most 40 characters; `otherwise` if nothing is left.
std::string plain_name(std::string_view text, std::string_view otherwise);
// The name itself, or with _2, _3, … behind it; it is taken then.
std::string unique_name(std::string name, std::vector<std::string>& taken);

}  // namespace assay::promptfoo
