// Values that may be sent but never shown: keys and what `${NAME}` stands for. Whoever shows foreign text (an
// error body, a reply, what a command printed) hides them in it first, before the text is cut, since a cut
// could leave a piece too short to be recognised.
//
// A short value is no secret, and hiding it would make text unreadable ("chec[key]" for the key k). So:
//   under 4 characters   never hidden
//   4 or 5               hidden where it stands as a word of its own
//   6 or more            hidden wherever it stands
// Nor are the words that people put where a server wants any key ("ollama", "dummy"): never hidden. White
// space around a value does not belong to it.
//
// Thread-safe: values are added as they are read from the environment, while others hide.
#pragma once

#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/json/json.h"

namespace assay {

// What stands in the place of a secret in data, configs and what tools say.
inline constexpr std::string_view kHiddenMark = "[hidden]";

class Secrets {
 public:
  // `mark` takes the place of what is hidden.
  explicit Secrets(std::string_view mark = "[key]") : mark_(mark) {}
  Secrets(const Secrets& other);
  Secrets& operator=(const Secrets&) = delete;

  void add(std::string_view value);
  bool empty() const;
  // `inner`, with every value that it gives added here. This must outlive it.
  Environment noting(Environment inner);

  // `text` without the values as a whole: for data, of which nothing else may change.
  std::string hide(std::string_view text) const;
  // The same at every depth: texts, names of members, and numbers, which become texts by it.
  Json hide_in(const Json& value) const;
  // For messages: also without every piece of eight characters or more of a value, and without what looks
  // like a key of the known providers (sk-…), even if it is none of these.
  std::string hide_pieces(std::string_view text) const;

 private:
  template <class Length>
  std::string replaced(std::string_view text, const Length& length_at) const;
  bool any_in(std::string_view text) const;
  std::size_t whole_at(std::string_view text, std::size_t at) const;
  std::size_t piece_at(std::string_view text, std::size_t at) const;

  std::string mark_;
  mutable std::shared_mutex mutex_;
  std::vector<std::string> values_;  // none shorter than 4; guarded by mutex_
};

}  // namespace assay
