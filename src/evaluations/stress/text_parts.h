// An answer taken apart where something can be changed in it: its sentences, its figures, its words. Pure;
// views point into the text.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::stress {

// In order, without list marks and without white space around them; headings and lines that end in a colon,
// which only lead to what follows, are none.
std::vector<std::string_view> sentences_of(std::string_view text);
// Whether some line is an item of a list, or a heading.
bool has_layout(std::string_view text);

// "1,200", "0.5", "28": digits with points and commas inside, not part of a word ("A1", "rag-01") and not the
// number of a list's item.
std::vector<std::string_view> figures_of(std::string_view text);

// In lower case with one space around each word, at both ends too, and without punctuation: "Don't, e.g.,
// ask" is " do not e g ask ".
std::string plain_words(std::string_view text);
// Whether `plain` has one of the parts at the start of a word; a part that ends in a space ends a word, too.
bool speaks_of(std::string_view plain, std::span<const std::string_view> parts);

// Words of four letters or more and figures, in lower case: what tells one sentence from another.
std::set<std::string> telling_words(std::string_view text);
// The share of the telling words of `part` that `whole` has; 0 for a part without any.
double share_told(std::string_view part, const std::set<std::string>& whole);

}  // namespace assay::stress
