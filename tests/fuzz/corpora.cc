// Runs every fuzzer over its kept inputs, without fuzzing: fuzz_corpora DIRECTORY. Each file of
// DIRECTORY/NAME goes to the fuzzer of that name, whole and cut at every byte, as a file or a reply that ends
// too early is cut. What once was a finding stays there as a file, and is looked at in every test run.
#include "tests/fuzz/corpora.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kCuts = 600;  // of one file, evenly spread where it is longer

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const Fuzzer& fuzzer, const std::string& text) {
  const std::size_t step = std::max<std::size_t>(1, text.size() / kCuts);
  for (std::size_t size = 0; size < text.size(); size += step) {
    // A copy of its own, so that a byte read behind the end is noticed.
    const std::vector<std::uint8_t> cut(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    fuzzer.run(cut.data(), cut.size());
  }
  const std::vector<std::uint8_t> whole(text.begin(), text.end());
  fuzzer.run(whole.data(), whole.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fuzz_corpora DIRECTORY\n", stderr);
    return 2;
  }
  bool complete = true;
  for (const Fuzzer& fuzzer : fuzzers()) {
    const std::filesystem::path directory = std::filesystem::path(argv[1]) / fuzzer.name;
    std::size_t files = 0;
    if (std::filesystem::is_directory(directory)) {
      for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        // Told before it runs: a crash then names its input.
        std::printf("%s %s\n", fuzzer.name, entry.path().filename().c_str());
        std::fflush(stdout);
        run(fuzzer, content(entry.path()));
        ++files;
      }
    }
    if (files > 0) continue;
    std::fprintf(stderr, "%s has no kept input: put some into %s\n", fuzzer.name, directory.c_str());
    complete = false;
  }
  return complete ? 0 : 1;
}
