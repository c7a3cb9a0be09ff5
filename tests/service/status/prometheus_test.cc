#include <gtest/gtest.h>

#include "service/status/status_routes.h"

namespace assay {
namespace {

TEST(Prometheus, WritesFiguresWithTheirLabels) {
  EXPECT_EQ(
      prometheus_text(
          {{"runs", "Runs by state.", "gauge", {{{{"state", "done"}}, 3}, {{{"state", "a\"b\\c\nd"}}, 0.5}}},
           {"open", "Open now.", "counter", {{{}, 12}}}}),
      "# HELP runs Runs by state.\n# TYPE runs gauge\nruns{state=\"done\"} 3\n"
      "runs{state=\"a\\\"b\\\\c\\nd\"} 0.5\n# HELP open Open now.\n# TYPE open counter\nopen 12\n");
}

}  // namespace
}  // namespace assay
