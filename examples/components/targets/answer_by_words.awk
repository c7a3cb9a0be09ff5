# Prints the best paragraph as the answer, and the best three as its contexts; see rank_by_words.awk.

# "/vehicle-tax/off-road" as "Vehicle tax" and "Off road".
function heading(name) {
    gsub(/-/, " ", name)
    return toupper(substr(name, 1, 1)) substr(name, 2)
}

# A text inside HTML.
function html(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return "<p>" text "</p>"
}

END {
    rank()
    # One shared word in four is too little to answer by.
    if (found == 0 || by_all[ranked[1]] < 0.25) {
        print "{\"llm_answer\": \"Sorry, I can't find anything on that.\", \"structured_contexts\": []}"
        exit
    }
    printf "{\"llm_answer\": %s, \"structured_contexts\": [", quoted(paragraph[ranked[1]])
    for (i = 1; i <= found && i <= 3; i++) {
        p = ranked[i]
        parts = split(path[p], part, "/")        # the path begins with a slash: part[1] is empty
        printf "%s{\"exact_path\": %s, \"title\": %s, \"heading_hierarchy\": %s, \"description\": null, \"html_content\": %s}", \
            (i > 1 ? ", " : ""), quoted(path[p]), quoted(heading(part[2])), \
            (parts > 2 ? "[" quoted(heading(part[3])) "]" : "null"), quoted(html(paragraph[p]))
    }
    print "]}"
}
