// The files that the values of a config name: where a relative path belongs, and which texts mean a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/config/config.h"
#include "core/error.h"

namespace assay {

// Where a value stood: a path in a file belongs to that file, one on the command line to the working
// directory.
enum class StoodIn { file, flag };

class NamedFiles {
 public:
  explicit NamedFiles(const ConfigSource& source) : source_(source) {}

  // The directory that a relative path belongs to. What is not beside the config file may still be meant from
  // the working directory.
  std::filesystem::path base_of(const std::filesystem::path& given, StoodIn stood) const;
  std::string resolved(std::string_view path, StoodIn stood) const;
  // Resolved; `-` stays where it is copied. Fails for what can be read once only and is not copied: a pipe, a
  // process substitution, standard input.
  Result<std::string> readable(std::string_view path, Pipe pipe, StoodIn stood) const;
  // Whether this word of a command is a file: a program with a slash in its name, or an argument that names a
  // file beside the config.
  bool is_file(std::string_view word, std::size_t place) const;
  // A text that is meant as a file, as "file:PATH": it says so, or a file of that name is there, or it could
  // be nothing else. Empty: it is a value. Fails if it is meant as a file that is not there.
  Result<std::optional<std::string>> meant(std::string_view text, StoodIn stood) const;
  // The address of a database with the path of its file resolved. What begins with any other scheme stays as
  // it is: which kinds of database there are is for those to say who open it.
  std::string database(std::string_view address, StoodIn stood) const;

 private:
  const ConfigSource& source_;
};

}  // namespace assay
