#include "evaluations/output_files.h"

namespace assay {

AtomicFile* OutputFiles::open(const std::string& name) {
  if (directory_.empty()) return nullptr;
  const auto found = files_.find(name);
  if (found != files_.end()) return &found->second;
  if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) {
    if (auto made = make_directories(directory_ + "/" + name.substr(0, slash)); !made) {
      if (failed_) failed_ = std::move(made);
      return nullptr;
    }
  }
  auto file = AtomicFile::create(directory_ + "/" + name);
  if (!file) {
    if (failed_) failed_ = fail(std::move(file.error()));
    return nullptr;
  }
  return &files_.emplace(name, std::move(*file)).first->second;
}

void OutputFiles::write(const std::string& name, std::string_view bytes) {
  if (AtomicFile* file = open(name)) file->write(bytes);
}

Status OutputFiles::commit() {
  if (!failed_) return failed_;
  for (auto& [name, file] : files_) {
    if (auto done = file.commit(); !done) return done;
  }
  files_.clear();
  return {};
}

}  // namespace assay
