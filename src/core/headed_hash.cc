#include "core/headed_hash.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "core/sha256_state.h"

namespace assay {
namespace {

constexpr std::size_t kHeads = 8;  // the last so many
// A shorter head is hashed as quickly as it is compared; a longer one is not kept.
constexpr std::size_t kShortest = 256;
constexpr std::size_t kLongest = std::size_t{64} << 10;

// What many texts begin with.
struct Head {
  std::string text;
  PrefixEnds ends;  // inside it; the last is its size
  std::vector<Digest> digests;
  Sha256State after;

  bool begins(std::string_view other, const PrefixEnds& ends_there) const {
    return ends.size() <= ends_there.size() && std::equal(ends.begin(), ends.end(), ends_there.begin()) &&
           other.starts_with(text);
  }
};

}  // namespace

struct HeadedHash::State {
  // A computation under way, with the digests of the prefixes that it has passed.
  struct Way {
    Sha256State state;
    std::size_t hashed = 0;
    std::vector<Digest> digests;
  };

  Way begin(std::string_view text, const PrefixEnds& ends) {
    Way way;
    const Head* best = nullptr;
    for (const Head& head : heads) {
      if ((best == nullptr || head.text.size() > best->text.size()) && head.begins(text, ends)) best = &head;
    }
    if (best != nullptr) way = {best->after, best->text.size(), best->digests};
    // The last prefix of a request is all of its messages, which no other one begins with as a rule.
    const std::size_t common = std::max<std::size_t>(ends.size(), 2) - 1;
    for (std::size_t i = way.digests.size(); i < std::min(common, ends.size()); ++i) {
      go_on(way, text, ends[i]);
      if (i + 1 == common && ends[i] >= kShortest && ends[i] <= kLongest) keep(way, text, ends);
    }
    return way;
  }

  static void go_on(Way& way, std::string_view text, std::size_t end) {
    way.state.update(text.substr(way.hashed, end - way.hashed));
    way.hashed = end;
    way.digests.push_back(way.state.digest());
  }

  void keep(const Way& way, std::string_view text, const PrefixEnds& ends) {
    Head head{std::string(text.substr(0, way.hashed)),
              {ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(way.digests.size())},
              way.digests,
              way.state};
    if (heads.size() < kHeads) {
      heads.push_back(std::move(head));
    } else {
      heads[oldest++ % kHeads] = std::move(head);
    }
  }

  std::vector<Head> heads;
  std::size_t oldest = 0;
};

HeadedHash::HeadedHash() : state_(std::make_unique<State>()) {}
HeadedHash::~HeadedHash() = default;
HeadedHash::HeadedHash(HeadedHash&&) noexcept = default;
HeadedHash& HeadedHash::operator=(HeadedHash&&) noexcept = default;

Digest HeadedHash::whole(std::string_view text, const PrefixEnds& ends) {
  State::Way way = state_->begin(text, ends);
  way.state.update(text.substr(way.hashed));
  return way.state.digest();
}

std::vector<Digest> HeadedHash::prefixes(std::string_view text, const PrefixEnds& ends) {
  State::Way way = state_->begin(text, ends);
  for (std::size_t i = way.digests.size(); i < ends.size(); ++i) State::go_on(way, text, ends[i]);
  return std::move(way.digests);
}

}  // namespace assay
