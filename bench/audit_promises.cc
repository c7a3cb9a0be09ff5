// What does an audit find of faults that were planted, and at what cost in cases that a person looks at in
// vain? The tables of docs/audit.md:
//
//   cmake build -DASSAY_BENCH=ON && ninja -C build audit_promises && build/bench/audit_promises 100
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "stats/items/wrong_keys.h"
#include "stats/texts/near_duplicates.h"

namespace {

using namespace assay;

struct Planted {
  std::size_t systems = 5;
  std::size_t cases = 300;
  double wrong = 0.05;  // share of keys that are wrong
  int classes = 6;      // answers to choose from
  double spread = 1.5;  // of the cases' difficulty, in logits
  double noise = 0;     // share of marks that are turned round by chance
};

struct Found {
  double planted = 0;
  double named = 0;  // with a probability of 0.5 or more
  double right = 0;  // of them
  double first = 0;  // planted ones among as many first places as were planted
};

Found look(const Planted& plan, std::uint64_t seed, bool with_answers) {
  Random random = Random::keyed("planted", seed, plan.systems, plan.cases);
  SolvedTable table{plan.systems, plan.cases, std::vector<double>(plan.systems * plan.cases)};
  std::vector<int> answers(table.cells.size());
  std::vector<bool> wrong(plan.cases);
  for (std::size_t i = 0; i < plan.cases; ++i) {
    wrong[i] = random.uniform() < plan.wrong;
    const double ease = plan.spread * random.normal();
    const int truth = static_cast<int>(random.below(static_cast<std::uint64_t>(plan.classes)));
    int key = truth;
    if (wrong[i])
      key = (truth + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(plan.classes - 1)))) %
            plan.classes;
    for (std::size_t j = 0; j < plan.systems; ++j) {
      // Abilities from 0.3 to 2 logits: systems between 56 and 80 % right.
      const double ability =
          0.3 + 1.7 * static_cast<double>(j) / static_cast<double>(plan.systems > 1 ? plan.systems - 1 : 1);
      int answer = truth;
      if (random.uniform() > 1 / (1 + std::exp(-(ability + ease))))
        answer = (truth + 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(plan.classes - 1)))) %
                 plan.classes;
      bool solved = answer == key;
      if (random.uniform() < plan.noise) solved = !solved;
      table.cells[j * plan.cases + i] = solved ? 1 : 0;
      answers[j * plan.cases + i] = answer;
    }
  }
  WrongKeys keys = suspect_keys(table, with_answers ? std::span<const int>(answers) : std::span<const int>());
  Found found;
  std::multimap<double, std::size_t, std::greater<>> order;
  for (std::size_t i = 0; i < plan.cases; ++i) {
    found.planted += wrong[i] ? 1 : 0;
    if (keys.probability[i] >= 0.5) {
      found.named += 1;
      found.right += wrong[i] ? 1 : 0;
    }
    order.emplace(keys.probability[i], i);
  }
  auto at = order.begin();
  for (int place = 0; place < found.planted; ++place, ++at) found.first += wrong[at->second] ? 1 : 0;
  return found;
}

void wrong_keys(int runs, const Planted& plan, const char* what, bool with_answers) {
  Found sum;
  for (int run = 0; run < runs; ++run) {
    const Found one = look(plan, static_cast<std::uint64_t>(run), with_answers);
    sum.planted += one.planted;
    sum.named += one.named;
    sum.right += one.right;
    sum.first += one.first;
  }
  std::printf("| %s | %.0f %% | %.0f %% | %.0f %% | %.1f |\n", what,
              100 * sum.right / std::max(1.0, sum.planted), sum.named > 0 ? 100 * sum.right / sum.named : 0,
              100 * sum.first / std::max(1.0, sum.planted), (sum.named - sum.right) / runs);
}

std::string sentence(Random& random, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "w" + std::to_string(random.below(5'000)) + " ";
  return text;
}

// Of `words` words, so many are replaced.
std::string changed(const std::string& text, int replaced, Random& random) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text) {
    if (letter == ' ') {
      words.push_back(word);
      word.clear();
    } else {
      word += letter;
    }
  }
  for (int i = 0; i < replaced; ++i)
    words[random.below(words.size())] = "x" + std::to_string(random.below(1'000));
  std::string out;
  for (const std::string& one : words) out += one + " ";
  return out;
}

void duplicates(int runs) {
  std::printf("\nDuplicates planted in 300 texts of 40 words, 20 in each data set:\n\n");
  std::printf("| words replaced | found at 0.7 | found at 0.5 | false |\n| --- | --- | --- | --- |\n");
  for (const int replaced : {0, 1, 2, 3, 5}) {
    double found[2] = {0, 0};
    double false_links = 0;
    for (int run = 0; run < runs; ++run) {
      Random random = Random::keyed("texts", run, replaced);
      std::vector<std::string> texts;
      for (int i = 0; i < 280; ++i) texts.push_back(sentence(random, 40));
      for (int i = 0; i < 20; ++i)
        texts.push_back(changed(texts[static_cast<std::size_t>(i)], replaced, random));
      for (const int level : {0, 1}) {
        for (const NearPair& link : near_duplicates(texts, level == 0 ? 0.7 : 0.5).links) {
          if (link.second == link.first + 280) {
            found[level] += 1;
          } else {
            false_links += 1;
          }
        }
      }
    }
    std::printf("| %d | %.1f %% | %.1f %% | %.0f |\n", replaced, 5.0 * found[0] / runs, 5.0 * found[1] / runs,
                false_links);
  }
}

// MinHash beside the exact index, over pairs of texts of 60 words of which 0 to 12 are replaced.
void against_exact(int pairs) {
  struct Bin {
    int pairs = 0;
    int compared = 0;
    double expected = 0;
    double error = 0;
    double square = 0;
    double variance = 0;
  };
  std::vector<Bin> bins(10);
  for (int pair = 0; pair < pairs; ++pair) {
    Random random = Random::keyed("exact", pair);
    const std::string first = sentence(random, 60);
    const std::vector<std::string> both = {first, changed(first, static_cast<int>(random.below(13)), random)};
    const auto one = shingles_of(both[0]);
    const auto other = shingles_of(both[1]);
    const double exact = jaccard(one, other);
    const double error = estimated_jaccard(min_hashes(one), min_hashes(other)) - exact;
    Bin& bin = bins[std::min<std::size_t>(9, static_cast<std::size_t>(exact * 10))];
    ++bin.pairs;
    bin.compared += near_duplicates(both, 0).links.empty() ? 0 : 1;
    bin.expected += 1 - std::pow(1 - std::pow(exact, 4), 32);
    bin.error += error;
    bin.square += error * error;
    bin.variance += exact * (1 - exact) / static_cast<double>(kMinHashes);
  }
  std::printf("\nMinHash against the exact index:\n\n");
  std::printf(
      "| exact index | pairs | mean error | root mean square | by the formula | compared | by the formula "
      "|\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const Bin& bin = bins[i];
    if (bin.pairs < 100) continue;
    const double n = bin.pairs;
    std::printf("| %.1f to %.1f | %d | %+.4f | %.4f | %.4f | %.2f %% | %.2f %% |\n",
                static_cast<double>(i) / 10, static_cast<double>(i + 1) / 10, bin.pairs, bin.error / n,
                std::sqrt(bin.square / n), std::sqrt(bin.variance / n), 100.0 * bin.compared / n,
                100 * bin.expected / n);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  std::printf("Wrong keys in %d data sets of 300 cases:\n\n", runs);
  std::printf(
      "| data | found | of those named right | among the first | in vain, a data set |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (const std::size_t systems : {2UL, 3UL, 5UL, 8UL, 12UL}) {
    Planted plan;
    plan.systems = systems;
    wrong_keys(runs, plan, (std::to_string(systems) + " systems, classes").c_str(), true);
    wrong_keys(runs, plan, (std::to_string(systems) + " systems, marks alone").c_str(), false);
  }
  Planted plan;
  plan.noise = 0.05;
  wrong_keys(runs, plan, "5 systems, classes, 5 % of marks noise", true);
  plan.noise = 0;
  plan.wrong = 0.01;
  wrong_keys(runs, plan, "5 systems, classes, 1 % wrong", true);
  plan.wrong = 0;
  wrong_keys(runs, plan, "5 systems, classes, none wrong", true);
  plan.systems = 8;
  wrong_keys(runs, plan, "8 systems, classes, none wrong", true);
  duplicates(std::min(runs, 50));
  against_exact(1'000 * runs);
  return 0;
}
