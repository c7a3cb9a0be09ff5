#include "report/plots/plot_parts.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "report/plots/few.h"
#include "report/words.h"

namespace assay::plots {
namespace {

// Not seen, or turning the text around it: controls, line and paragraph ends, marks and overrides of
// direction, zero-width characters, tags.
bool hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) || c == 0x061C ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xE0000 && c <= 0xE007F);
}

// Colours and sizes for whoever opens the spec; the report's script puts those of the page in their place.
JsonObject standalone_config() {
  return {{"font", "sans-serif"},
          {"view", JsonObject{{"stroke", nullptr}}},
          {"title", JsonObject{{"anchor", "start"}, {"subtitleColor", "#57606d"}}},
          {"axis", JsonObject{{"gridColor", "#dedad1"}, {"domainColor", "#dedad1"}, {"labelFontSize", 12}}},
          {"axisY", JsonObject{{"labelLimit", 260}}},
          {"style", JsonObject{{"ink", JsonObject{{"color", "#1b2028"}}},
                               {"reference", JsonObject{{"color", "#57606d"}}}}}};
}

}  // namespace

Json text(std::string_view words) {
  return boost::json::string(words);
}

std::string label(std::string_view foreign, std::size_t characters) {
  std::string out;
  std::size_t count = 0;
  while (!foreign.empty()) {
    const CodePoint c = first_code_point(foreign);
    if (++count > characters) return out + "…";
    if (c.value == ' ' || c.value == '\n' || c.value == '\t') {
      out += ' ';
    } else if (!c.valid || hidden(c.value)) {
      out += "\xEF\xBF\xBD";
    } else {
      out.append(foreign.substr(0, c.size));
    }
    foreign.remove_prefix(c.size);
  }
  return out.empty() ? "(empty)" : out;
}

// A label that is cut in its middle.
static std::string both_ends(std::string_view foreign) {
  constexpr std::size_t kHead = 30;
  constexpr std::size_t kTail = 29;
  const std::size_t length = count_code_points(foreign);
  if (length <= kHead + kTail + 1) return label(foreign);
  std::string_view tail = foreign;
  for (std::size_t i = 0; i < length - kTail; ++i) tail.remove_prefix(first_code_point(tail).size);
  return label(foreign, kHead) + label(tail);
}

std::vector<std::string> labels(const std::vector<std::string>& foreign) {
  std::map<std::string, int> alike;
  for (const std::string& one : foreign) ++alike[label(one)];
  std::vector<std::string> drawn;
  std::set<std::string> taken;
  std::map<std::string, int> seen;
  for (const std::string& one : foreign) {
    const std::string whole = label(one);
    const std::string base = alike[whole] > 1 ? both_ends(one) : whole;
    std::string unique = base;
    while (!taken.insert(unique).second) unique = fmt::format("{} ({})", base, ++seen[base] + 1);
    drawn.push_back(std::move(unique));
  }
  return drawn;
}

std::string with_second_line(const std::string& label, std::string_view second) {
  return fmt::format("{}\n{}", label, second);
}

JsonObject field(std::string_view name, std::string_view type, std::string_view title) {
  return {
      {"field", text(name)}, {"type", text(type)}, {"title", title.empty() ? Json(nullptr) : text(title)}};
}

JsonObject measured(std::string_view name, std::string_view title, AxisForm form,
                    const std::optional<Interval>& domain) {
  JsonObject out = field(name, "quantitative", title);
  JsonObject axis{{"tickCount", 5}};
  if (form == AxisForm::share) axis["format"] = ".0%";
  out["axis"] = std::move(axis);
  if (domain) {
    out["scale"] = JsonObject{{"domain", JsonArray{domain->low, domain->high}}, {"nice", false}};
  } else if (form == AxisForm::share) {
    out["scale"] = JsonObject{{"domain", JsonArray{0, 1}}};
  } else {
    out["scale"] = JsonObject{{"zero", true}, {"nice", true}};
  }
  return out;
}

JsonObject lines(const JsonArray& values) {
  JsonObject out = field("line", "nominal", "");
  JsonArray domain;
  for (const Json& value : values) {
    const Json* line = find_member(value, "line");
    if (domain.empty() || domain.back() != *line) domain.push_back(*line);
  }
  out["scale"] = JsonObject{{"domain", std::move(domain)}};
  out["axis"] = JsonObject{{"labelExpr", "split(datum.label, '\\n')"},
                           {"ticks", false},
                           {"domain", false},
                           {"labelPadding", 8},
                           {"labelOffset", -7},  // two lines around the middle
                           {"labelLineHeight", 15}};
  return out;
}

JsonObject told(std::string_view name, std::string_view title, std::string_view format) {
  JsonObject out{{"field", text(name)}, {"title", text(title)}};
  if (!format.empty()) {
    out["type"] = "quantitative";
    out["format"] = text(format);
  }
  return out;
}

JsonObject mark(std::string_view type, JsonObject options) {
  options["type"] = text(type);
  return options;
}

JsonObject layer(JsonObject mark, JsonObject encoding) {
  return {{"mark", std::move(mark)}, {"encoding", std::move(encoding)}};
}

Plot framed(PlotWords words, JsonArray values, Json height, JsonArray layers, JsonObject more) {
  words.title = label(words.title, 200);
  if (!words.caption.empty()) words.caption = label(words.caption, 2'000);
  Plot plot;
  plot.name = plot_file_name(words.name);
  plot.title = std::move(words.title);
  plot.caption = std::move(words.caption);
  JsonObject title{{"text", text(plot.title)}};
  if (!plot.caption.empty()) title["subtitle"] = text(label(plot.caption, 110));
  JsonObject spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
                  {"title", std::move(title)},
                  {"description", text(plot.title + ". " + plot.caption)},
                  {"width", "container"},
                  {"autosize", JsonObject{{"type", "fit-x"}, {"contains", "padding"}}},
                  {"height", std::move(height)},
                  {"data", JsonObject{{"values", std::move(values)}}}};
  for (auto& [key, value] : more) spec[key] = std::move(value);
  spec["layer"] = std::move(layers);
  spec["config"] = standalone_config();
  plot.spec = std::move(spec);
  return plot;
}

Json height_of(const JsonObject& lines, int step) {
  return static_cast<std::int64_t>(lines.at("scale").at("domain").get_array().size()) * step;
}

std::string no_bar_words() {
  return fmt::format(" No bar where n is below {}.", kFewestForABar);
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json or_null(std::optional<double> value) {
  return value ? finite_or_null(*value) : Json(nullptr);
}

std::string read_as(std::optional<double> value, AxisForm form) {
  if (!value || !std::isfinite(*value)) return std::string(kNotAvailable);
  return form == AxisForm::share ? share_words(*value) : number_words(*value);
}

}  // namespace assay::plots

namespace assay {

std::string plot_file_name(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 60)) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    out += kept ? c : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : '_');
  }
  return out.empty() ? "plot" : out;
}

}  // namespace assay
