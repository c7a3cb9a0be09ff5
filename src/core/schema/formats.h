// The values of the keyword `format`. By default `format` says nothing about validity (it is an annotation);
// where a schema is compiled with SchemaOptions::assert_formats, or its dialect has the format-assertion
// vocabulary, texts are checked by the functions here. Known: date-time, date, time (RFC 3339, leap seconds
// included), duration (RFC 3339, appendix A), email and idn-email (RFC 5321, RFC 6531), hostname (RFC 1123;
// what an "xn--" label decodes to is not checked), ipv4, ipv6, uri, uri-reference, iri, iri-reference (RFC
// 3986, RFC 3987), uri-template (RFC 6570), uuid, json-pointer, relative-json-pointer, regex. Any other name,
// idn-hostname among them (it needs the tables of IDNA), is an annotation always.
#pragma once

#include <string_view>

namespace assay::schema {

using FormatCheck = bool (*)(std::string_view);

// Null if the format is not known.
FormatCheck find_format(std::string_view name);

bool is_date(std::string_view text);
bool is_time(std::string_view text);
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

bool is_hostname(std::string_view text);
bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);
bool is_email(std::string_view text);
bool is_idn_email(std::string_view text);

bool is_uri(std::string_view text);
bool is_uri_reference(std::string_view text);
bool is_iri(std::string_view text);
bool is_iri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

}  // namespace assay::schema
