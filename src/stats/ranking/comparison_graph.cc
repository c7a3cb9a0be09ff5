#include "stats/ranking/comparison_graph.h"

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

// Whether a walk along `next` from player 0 sees everybody.
bool reaches_all(const std::vector<std::vector<std::size_t>>& next) {
  std::vector<bool> seen(next.size());
  std::vector<std::size_t> open = {0};
  seen[0] = true;
  std::size_t count = 0;
  while (!open.empty()) {
    const std::size_t player = open.back();
    open.pop_back();
    ++count;
    for (const std::size_t other : next[player]) {
      if (seen[other]) continue;
      seen[other] = true;
      open.push_back(other);
    }
  }
  return count == next.size();
}

}  // namespace

std::vector<std::vector<std::size_t>> connected_groups(std::span<const PairedChoice::Match> matches,
                                                       std::span<const double> weights, std::size_t players) {
  std::vector<std::size_t> parent(players);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t player) {
    while (parent[player] != player) player = parent[player] = parent[parent[player]];
    return player;
  };
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    const std::size_t a = root(matches[i].a);
    const std::size_t b = root(matches[i].b);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::vector<std::size_t>> by_root(players);
  for (std::size_t player = 0; player < players; ++player) by_root[root(player)].push_back(player);
  std::erase_if(by_root, [](const std::vector<std::size_t>& group) { return group.empty(); });
  return by_root;
}

bool everyone_reaches_everyone(std::span<const PairedChoice::Match> matches, std::span<const double> weights,
                               std::size_t players) {
  std::vector<std::vector<std::size_t>> below(players);
  std::vector<std::vector<std::size_t>> above(players);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    const auto& match = matches[i];
    if (match.outcome >= 0) {
      below[match.a].push_back(match.b);
      above[match.b].push_back(match.a);
    }
    if (match.outcome <= 0) {
      below[match.b].push_back(match.a);
      above[match.a].push_back(match.b);
    }
  }
  return players > 0 && reaches_all(below) && reaches_all(above);
}

}  // namespace assay
