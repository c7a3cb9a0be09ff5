// How each kind of metric that asks is made; kinds.cc has the table.
#pragma once

#include <memory>

#include "evaluations/custom/asked/asked_metric.h"

namespace assay::custom {

std::unique_ptr<AskedMetric> make_rubric(MetricParts parts);
std::unique_ptr<AskedMetric> make_criteria(MetricParts parts);
std::unique_ptr<AskedMetric> make_own_judge(MetricParts parts);
std::unique_ptr<AskedMetric> make_label_judge(MetricParts parts);
std::unique_ptr<AskedMetric> make_rag(MetricParts parts);
std::unique_ptr<AskedMetric> make_program(MetricParts parts);
std::unique_ptr<AskedMetric> make_http_scorer(MetricParts parts);
std::unique_ptr<AskedMetric> make_pairwise(MetricParts parts);
std::unique_ptr<AskedMetric> make_similar(MetricParts parts);

}  // namespace assay::custom
