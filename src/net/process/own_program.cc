#include "net/process/own_program.h"

#include <filesystem>
#include <system_error>

namespace assay {
namespace {

constexpr const char* kKernelsWord = "/proc/self/exe";
constexpr const char* kLoader = "assay-loader";  // PREFIX/lib/assay/assay-loader, started by PREFIX/bin/assay

}  // namespace

std::string program_started_by(const std::string& file) {
  const std::filesystem::path path(file);
  if (path.filename() != kLoader) return kKernelsWord;
  return (path.parent_path().parent_path().parent_path() / "bin" / "assay").string();
}

std::string own_program() {
  std::error_code error;
  const auto file = std::filesystem::read_symlink(kKernelsWord, error);
  return error ? kKernelsWord : program_started_by(file.string());
}

}  // namespace assay
