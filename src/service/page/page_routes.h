// The addresses of the page: itself, what it loads, and every address that it routes by itself.
#pragma once

#include <vector>

#include "service/http/routes.h"
#include "service/page/page_files.h"

namespace assay {

// As compiled in: index.html and its assets.
std::span<const EmbeddedText> page_files();

// `files` must outlive the routes. They need no token: the page holds no data.
std::vector<Route> page_routes(const PageFiles& files);

// An address that a person has mistyped gets the page as well, which says so; a program, or a browser that
// looks for a file, is told that there is none. Stands behind all other routes.
std::vector<Route> nowhere_routes(const PageFiles& files);

}  // namespace assay
