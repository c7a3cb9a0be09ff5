#include "sim/answers/manner.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/text.h"
#include "sim/answers/scalars.h"
#include "sim/answers/words.h"

namespace assay::sim {
namespace {

constexpr std::string_view kMark = "[role:";
constexpr std::size_t kLongestName = 40;

struct ListedRole {
  std::string_view name;
  std::string_view description;
};

// Lines such as "- Domain Expert: explains how …": a short name in capitals, and what it does.
std::vector<ListedRole> listed_roles(std::string_view prompt) {
  std::vector<ListedRole> roles;
  for (const std::string_view raw : split_lines(prompt)) {
    const std::string_view line = trim(raw);
    if (!line.starts_with("- ")) continue;
    const std::size_t colon = line.find(": ");
    if (colon > kLongestName) continue;  // or there is none
    const std::string_view name = trim(line.substr(2, colon - 2));
    if (name.empty() || name.front() < 'A' || name.front() > 'Z') continue;
    roles.push_back({name, trim(line.substr(colon + 2))});
  }
  return roles;
}

std::string capitalised(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::string chosen_role(const std::vector<ListedRole>& roles, std::string_view question,
                        std::span<const std::string> words, Chance chance, double noise) {
  if (roles.empty()) {
    static constexpr std::array<std::string_view, 4> kCallings = {"Guide", "Practitioner", "Specialist",
                                                                  "Mentor"};
    return words.empty() ? std::string(chance.pick(kCallings))
                         : fmt::format("{} {}", capitalised(words.front()), chance.pick(kCallings));
  }
  const WordSet asked(question);
  const ListedRole* best = &roles.front();
  double most = -1;
  for (const ListedRole& role : roles) {
    const double shared = overlap(asked, WordSet(fmt::format("{} {}", role.name, role.description)));
    if (shared > most) most = shared, best = &role;
  }
  if (chance.happens(noise)) best = &chance.pick(roles);
  return std::string(best->name);
}

}  // namespace

std::string in_manner(std::string plain, const ChatRequest& request, std::span<const std::string> words,
                      const Chance& chance, double noise) {
  std::string prompt;
  std::string_view question;
  for (const Message& message : request.messages) {
    if (message.role == Role::system) prompt += message.text + "\n";
    if (message.role == Role::user) question = message.text;
  }
  if (prompt.empty()) return plain;
  const std::vector<ListedRole> roles = listed_roles(prompt);
  const std::string low = lower_ascii(prompt);
  const bool tone = low.find("one tone") != std::string::npos;
  const bool described = !roles.empty() && low.find("role") != std::string::npos;
  for (int i = 0; i < (tone ? 2 : 0) + (described ? 2 : 0); ++i) {
    Chance own = chance.fork("manner").fork(static_cast<std::size_t>(i));
    plain += " " + make_sentence(words, own.between(6, 9), own);
  }
  if (low.find(kMark) == std::string::npos) return plain;
  return fmt::format("[Role: {}]\n{}", chosen_role(roles, question, words, chance.fork("role"), noise),
                     plain);
}

}  // namespace assay::sim
