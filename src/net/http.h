// The plain types of HTTP shared by client and server.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> list) : list_(list) {}
  void add(std::string name, std::string value) { list_.emplace_back(std::move(name), std::move(value)); }
  // Last value of that name, compared without case; null if there is none.
  const std::string* find(std::string_view name) const;
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  bool empty() const { return list_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

}  // namespace assay
