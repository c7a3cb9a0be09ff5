# Ranks the paragraphs of search_corpus.tsv by the words that they share with the question in INPUT. Used with -f
# before search_by_words.awk or answer_by_words.awk, which print the outcome. Plain POSIX awk; set LC_ALL=C.
#
#   path[p], uid[p], paragraph[p]   the corpus, p from 1 to paragraphs
#   ranked[1..found]                the paragraphs that share a word, best first, equal ones in corpus order
#   by_text[p], by_all[p]           share of the question's words, rare ones weighing more, that the text has; and that
#                                   the text or the path has. Both from 0 to 1

# The distinct words of a text without little ones, as " word word "; a final s is cut off.
function words_of(text,    list, count, i, word, out) {
    text = tolower(text)
    gsub(/[^a-z0-9]+/, " ", text)
    count = split(text, list, " ")
    out = " "
    for (i = 1; i <= count; i++) {
        word = list[i]
        if (length(word) > 3) sub(/s$/, "", word)
        if (length(word) < 2 || index(little, " " word " ") || index(out, " " word " ")) continue
        out = out word " "
    }
    return out
}

# A text as a JSON string. Bytes above 127 stay as they are, so UTF-8 stays UTF-8.
function quoted(text,    i, c, out) {
    out = "\""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\\" || c == "\"") out = out "\\" c
        else if (c < " ") out = out " "
        else out = out c
    }
    return out "\""
}

function rank(    p, w, q, asked, count, weight, total, i, j) {
    count = split(words_of(ENVIRON["INPUT"]), asked, " ")
    total = 0
    for (w = 1; w <= count; w++) {
        weight[w] = 0
        for (p = 1; p <= paragraphs; p++)
            if (index(in_text[p] in_path[p], " " asked[w] " ")) weight[w]++
        weight[w] = log((paragraphs + 1) / (weight[w] + 0.5))
        total += weight[w]
    }
    found = 0
    for (p = 1; p <= paragraphs; p++) {
        by_text[p] = 0
        by_all[p] = 0
        for (w = 1; w <= count; w++) {
            q = " " asked[w] " "
            if (index(in_text[p], q)) by_text[p] += weight[w] / total
            if (index(in_text[p], q) || index(in_path[p], q)) by_all[p] += weight[w] / total
        }
        if (by_all[p] == 0) continue
        for (i = ++found; i > 1 && by_all[ranked[i - 1]] < by_all[p]; i--) ranked[i] = ranked[i - 1]
        ranked[i] = p
    }
}

BEGIN {
    FS = "\t"
    little = " about after all also am an and any are as at be been before by can could do does did for from get had has have how if in into is it its me more much must my need no not of on one or our out should so some than that the their them then there they this to too up us was we were what when where which who will with without would you your "
}

NF == 3 {
    path[++paragraphs] = $1
    uid[paragraphs] = $2
    paragraph[paragraphs] = $3
    in_path[paragraphs] = words_of($1)
    in_text[paragraphs] = words_of($3)
}
