// The fuzzers that there are, each under its name; the table is made by CMake from the *_fuzz.cc files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

struct Fuzzer {
  const char* name;
  int (*run)(const std::uint8_t* data, std::size_t size);
};

std::span<const Fuzzer> fuzzers();
