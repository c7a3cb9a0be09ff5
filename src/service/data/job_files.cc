#include "service/data/job_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/file.h"
#include "evaluations/persona/persona.h"
#include "store/postgres/run_removal.h"

namespace assay {

Result<std::optional<std::string>> JobFiles::text(const std::string& job_id, const std::string& name) const {
  const std::string path = directory_of(job_id) + "/" + name;
  if (!file_exists(path)) {
    if (store_.shared()) return store_.job_file(job_id, name);
    return std::nullopt;
  }
  auto text = read_file(path);
  if (!text) return fail(std::move(text.error()));
  return std::move(*text);
}

Result<std::vector<JobFile>> JobFiles::to_share(const std::string& job_id,
                                                const std::vector<std::string>& names) const {
  std::vector<JobFile> files;
  if (!store_.shared()) return files;
  for (const std::string& name : names) {
    const std::string path = directory_of(job_id) + "/" + name;
    if (!file_exists(path)) continue;
    auto text = read_file(path);
    if (!text) return fail(std::move(text.error()));
    files.push_back({name, std::move(*text)});
  }
  return files;
}

Result<bool> JobFiles::bring(const std::string& job_id) const {
  auto snapshot = text(job_id, kSnapshot);
  if (!snapshot) return fail(std::move(snapshot.error()));
  if (!*snapshot) return false;
  const std::string directory = directory_of(job_id);
  if (auto made = make_directories(directory); !made) return fail(std::move(made.error()));
  if (auto written = write_file(directory + "/" + kSnapshot, **snapshot); !written)
    return fail(std::move(written.error()));
  return true;
}

void JobFiles::remove_directory(const std::string& job_id) const {
  const std::string directory = directory_of(job_id);
  std::error_code ignored;
  if (is_job_directory(directory)) std::filesystem::remove_all(directory, ignored);
}

// What cannot be removed now costs room and does no harm: no job names it.
void JobFiles::remove(const std::string& job_id) const {
  remove_directory(job_id);
  if (store_.shared()) (void)postgres_runs::remove(address_, job_id);
}

bool is_job_directory(const std::string& directory) {
  const std::string name = std::filesystem::path(directory).filename().string();
  return name.size() == persona::context_id("", "").size() &&
         name.find_first_not_of("0123456789abcdef-") == std::string::npos &&
         file_exists(directory + "/" + JobFiles::kSnapshot);
}

}  // namespace assay
