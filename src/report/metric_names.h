// How JSON names the form of a figure and which way it is better: in summary.json and over HTTP.
#pragma once

#include <string_view>

#include "report/summary.h"

namespace assay {

inline std::string_view form_name(Metric::Form form) {
  switch (form) {
    case Metric::Form::share:
      return "share";
    case Metric::Form::count:
      return "count";
    case Metric::Form::number:
      break;
  }
  return "number";
}

inline std::string_view better_name(Metric::Better better) {
  switch (better) {
    case Metric::Better::lower:
      return "lower";
    case Metric::Better::neither:
      return "neither";
    case Metric::Better::higher:
      break;
  }
  return "higher";
}

}  // namespace assay
