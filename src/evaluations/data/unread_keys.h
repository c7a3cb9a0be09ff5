// Keys inside the values of the data that nothing reads (a misspelt `bdy` in a context): counted, and told
// once for all the data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace assay {

// How often keys occur.
using KeyCounts = std::map<std::string, std::int64_t>;

// "field structured_contexts: nothing reads the keys score (12 times), rank (1 time)"; "" for none.
std::string unread_words(std::string_view field, const KeyCounts& counts);

}  // namespace assay
