#include "sim/batches/multipart.h"

#include "core/text.h"

namespace assay::sim {
namespace {

// The value of `key` among the parameters of a header: a token, or quoted.
std::string parameter(std::string_view header, std::string_view key) {
  for (std::size_t at = header.find(';'); at != std::string_view::npos; at = header.find(';', at + 1)) {
    std::string_view rest = trim(header.substr(at + 1));
    if (!rest.starts_with(key) || !rest.substr(key.size()).starts_with('=')) continue;
    rest.remove_prefix(key.size() + 1);
    if (!rest.starts_with('"')) return std::string(trim(rest.substr(0, rest.find(';'))));
    const std::size_t end = rest.find('"', 1);
    return end == std::string_view::npos ? std::string() : std::string(rest.substr(1, end - 1));
  }
  return {};
}

}  // namespace

Result<std::vector<FormPart>> read_multipart(std::string_view content_type, std::string_view body) {
  const std::string boundary = parameter(content_type, "boundary");
  if (!content_type.starts_with("multipart/form-data") || boundary.empty())
    return fail(ErrorKind::parse, "expected multipart/form-data with a boundary");
  const std::string line = "--" + boundary;
  if (!body.starts_with(line)) return fail(ErrorKind::parse, "the form does not begin with its boundary");
  body.remove_prefix(line.size());
  std::vector<FormPart> parts;
  while (body.starts_with("\r\n")) {
    body.remove_prefix(2);
    const std::size_t head_end = body.find("\r\n\r\n");
    const std::size_t end =
        head_end == std::string_view::npos ? head_end : body.find("\r\n" + line, head_end + 2);
    if (end == std::string_view::npos) return fail(ErrorKind::parse, "a part of the form does not end");
    FormPart part;
    for (const std::string_view header : split_lines(body.substr(0, head_end))) {
      if (!lower_ascii(header).starts_with("content-disposition:")) continue;
      part.name = parameter(header, "name");
      part.file_name = parameter(header, "filename");
    }
    const std::size_t begin = head_end + 4;
    if (end > begin) part.content = body.substr(begin, end - begin);
    parts.push_back(std::move(part));
    body.remove_prefix(end + 2 + line.size());
  }
  if (!body.starts_with("--")) return fail(ErrorKind::parse, "the form does not end with its boundary");
  return parts;
}

}  // namespace assay::sim
