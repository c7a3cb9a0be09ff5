// One line that a scoring program has written to its standard output: a reply, an attempt at one that went
// wrong, or talk that is none (a banner, a print left from debugging).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "core/json/json.h"

namespace assay {

struct ProgramLine {
  enum class Is {
    reply,    // a JSON object with an id
    broken,   // meant as a reply: other JSON, JSON without an id, or what looks like an object and is none
    chatter,  // any other text
  } is = Is::chatter;
  // Of a reply, and of a broken one where it can still be made out, lest another question pay for it. A whole
  // number counts as its digits.
  std::string id = {};
  JsonObject reply = {};    // without the id
  std::string defect = {};  // of a broken one, in words
};

// Any bytes are good.
ProgramLine read_program_line(std::string_view line);

}  // namespace assay
