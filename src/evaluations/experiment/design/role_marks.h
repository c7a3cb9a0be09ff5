// Role marks: where an answer says which role it speaks in, "[Role: Research Librarian]". A judge that sees
// one knows the condition, so they are taken out before anything is judged. Pure.
//
// What counts as a mark:
//   in square brackets of any kind   anywhere: [Role: X], [ROLE : x ], **[role - X]**, 【Role：X】,
//                                    [Roles: X, Y], [Acting as: X], &#91;Role: X&#93;; without a separator,
//                                    [Role X], alone on a line or at either end of the text
//   in other brackets or tags        alone on a line, or at either end of the text: (Role: X), <role>X</role>
//   bold                             anywhere but in a code block: **Role: X**
//   without brackets                 alone on one of the first three lines that are not blank, or on the
//   last:
//                                    Role: X, **Role:** X, ### Role - X
//   as data                          at the very beginning: {"role": "X"}, and "role: X" in front matter
// "Role" may be "persona" or a plural, "my", "selected", "primary" and the like may stand before it, "is" or
// a number behind it. White space of any kind may stand in brackets, and zero-width characters anywhere.
//
// Prose ("As a librarian, …") is not a mark: it is the answer's own text, and leaks.h tells of it. Nor is a
// line of a record that the answer shows ("Name: …", "Role: …", "Years: …", or behind "as follows:"), nor a
// mark without brackets that is all there is of the answer.
//
// All else stays byte for byte, but for the white space that would show where a mark was: a line that held
// nothing else goes with its line end, blank lines at the end of the text that it opened or closed go too,
// and no doubled space is left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::experiment {

struct Unmarked {
  std::string text;
  std::vector<std::string> roles;  // as written, in the order of the text, each once
};

Unmarked take_out_roles(std::string_view text);

// Without characters that have no width: soft hyphens, zero-width spaces and joiners, direction marks.
std::string without_unseen(std::string_view text);

}  // namespace assay::experiment
