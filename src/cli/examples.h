// The examples that are compiled into the program, and what is made of them where they are written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/embedded.h"
#include "core/error.h"

namespace assay {

// By path below examples/: "components/retrieval.yaml".
std::span<const EmbeddedText> embedded_examples();

// Writes one, with the directories that it needs; a script may be run.
Status write_example(const std::string& path, std::string_view text);

// tickets.sql beside a config makes tickets.db, which the config names.
std::string database_of(const std::string& script);
Status make_database(const std::string& path, std::string_view script);

}  // namespace assay
