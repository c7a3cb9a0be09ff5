// Role marks: where an answer says which role it speaks in, "[Role: Research Librarian]". A judge that sees
// one knows the condition, so they are taken out before anything is judged. Pure.
//
// What counts as a mark:
//   in square brackets of any kind   anywhere: [Role: X], [ROLE : x ], **[role - X]**, 【Role：X】
//   in other brackets or tags        alone on a line, or at either end of the text: (Role: X), <role>X</role>
//   without brackets                 alone on the first or last line that is not blank: Role: X, **Role:** X,
//                                    ### Role - X; or bold at the very beginning: **Role: X** The answer…
// "Role" may be "persona", and "my", "selected", "chosen", "assigned" and the like may stand before it. Prose
// ("As a librarian, …") is not a mark: it is the answer's own text, and leaks.h tells of it.
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

}  // namespace assay::experiment
