// What a prompt says of the manner of a plain answer, and what the simulated writer makes of it. Three things
// are read, from the prompt's own words and nothing else:
//
//   a role to name          "[Role: X]" in the prompt: the answer opens with such a line. The role is one of
//                           those that the prompt lists ("- Name: description"), by the words that name,
//                           description and question share, wrong with the probability `noise`; without a
//                           list one made up from the question
//   a described role        the answer goes into the question by two sentences more
//   one tone                the same
//
// So prompts make a difference here, a small and known one: a described role or a tone are worth two
// sentences, a role that is merely made up is worth nothing.
#pragma once

#include <span>
#include <string>

#include "models/chat.h"
#include "sim/chance.h"

namespace assay::sim {

// `plain` as the prompt wants it; `words` are those that prose is made of.
std::string in_manner(std::string plain, const ChatRequest& request, std::span<const std::string> words,
                      const Chance& chance, double noise);

}  // namespace assay::sim
