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

}  // namespace assay
