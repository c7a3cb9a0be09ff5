#include "evaluations/output_files.h"

#include <filesystem>

namespace assay {

// What was not committed leaves no empty directory behind.
OutputFiles::~OutputFiles() {
  files_.clear();
  std::error_code ignored;
  for (auto directory = made_.rbegin(); directory != made_.rend(); ++directory)
    std::filesystem::remove(*directory, ignored);
}

AtomicFile* OutputFiles::open(const std::string& name) {
  if (directory_.empty()) return nullptr;
  const auto found = files_.find(name);
  if (found != files_.end()) return &found->second;
  if (const std::size_t end = name.rfind('/'); end != std::string::npos) {
    const std::string inner = directory_ + "/" + name.substr(0, end);
    if (!directory_exists(inner)) made_.push_back(inner);
    if (auto made = make_directories(inner); !made) {
      if (so_far_) so_far_ = std::move(made);
      return nullptr;
    }
  }
  auto file = AtomicFile::create(directory_ + "/" + name, *behind_);
  if (!file) {
    if (so_far_) so_far_ = fail(std::move(file.error()));
    return nullptr;
  }
  return &files_.emplace(name, std::move(*file)).first->second;
}

void OutputFiles::write(const std::string& name, std::string_view bytes) {
  if (AtomicFile* file = open(name)) file->write(bytes);
}

std::vector<std::string> OutputFiles::names() const {
  std::vector<std::string> names;
  names.reserve(files_.size());
  for (const auto& [name, file] : files_) names.push_back(name);
  return names;
}

Result<std::map<std::string, std::string>> OutputFiles::commit() {
  if (!so_far_) return fail(so_far_.error());
  std::map<std::string, std::string> hashes;
  std::vector<AtomicFile*> all;
  all.reserve(files_.size());
  for (auto& [name, file] : files_) all.push_back(&file);
  if (auto done = AtomicFile::commit_all(all); !done) return fail(std::move(done.error()));
  for (const auto& [name, file] : files_) hashes.emplace(name, file.hash().value_or(""));
  files_.clear();
  made_.clear();
  return hashes;
}

}  // namespace assay
