#include <fmt/format.h>

#include "core/json/json.h"
#include "service/status/status_routes.h"

namespace assay {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string label_text(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "{" : ",", name, escaped(value));
  return text.empty() ? text : text + "}";
}

}  // namespace

std::string prometheus_text(const std::vector<Gauge>& gauges) {
  std::string text;
  for (const Gauge& gauge : gauges) {
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", gauge.name, gauge.help, gauge.type);
    for (const Gauge::Value& one : gauge.values)
      text += fmt::format("{}{} {}\n", gauge.name, label_text(one.labels), number_text(one.value));
  }
  return text;
}

}  // namespace assay
