// What a tool has said, without the secrets that it was given: a program, a service or a server may repeat
// them, and all that it says goes to a model and into files. Hiding comes before cutting
// (core/secrets/secrets.h says why).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/secrets/secrets.h"

namespace assay {

// The beginning or the end of foreign text for a message: without space around it, as UTF-8, with "…" where
// it was cut. The end of what a failing program said is where the reason stands.
std::string quoted_start(std::string_view text, std::size_t limit, const Secrets& secrets);
std::string quoted_end(std::string_view text, std::size_t limit, const Secrets& secrets);

// A program that has all of our environment may print it, most likely when it fails: adds what variables with
// a telling name hold.
void note_inherited(Secrets& secrets);

}  // namespace assay
