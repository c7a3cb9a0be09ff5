# Script of assay_embed: hexadecimal bytes, since a text may hold any delimiter and any length.
set(tables "")
set(rows "")
set(index 0)
foreach(file ${FILES})
  file(RELATIVE_PATH name ${ROOT} ${file})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND tables "constexpr char kText${index}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${name}\", std::string_view(kText${index}, sizeof(kText${index}) - 1)},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT}
"#include \"core/embedded.h\"\n\nnamespace assay {\nnamespace {\n${tables}constexpr EmbeddedText kTexts[] = {\n${rows}};\n}  // namespace\n"
"std::span<const EmbeddedText> ${SYMBOL}();\nstd::span<const EmbeddedText> ${SYMBOL}() { return kTexts; }\n}  // namespace assay\n")
