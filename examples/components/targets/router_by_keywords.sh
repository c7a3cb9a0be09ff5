#!/bin/sh
# Labels a question by keywords: reads it from INPUT, prints {"actual_outcome": "...", "confidence_score": 0.xx}.
# Each label counts how many of its patterns occur; the most hits win, the earlier label if equal. Nothing of the
# input reaches the output, so any input gives valid JSON.

LC_ALL=C
export LC_ALL

exec awk '
function label(name, patterns) {
    names[++labels] = name
    rules[labels] = patterns
}

# How many of the patterns, separated by ";", occur as whole words.
function hits(patterns,    list, count, i, found) {
    count = split(patterns, list, ";")
    found = 0
    for (i = 1; i <= count; i++)
        if (text ~ (" (" list[i] ") ")) found++
    return found
}

BEGIN {
    label("harmful_vulgar_controversy", "stupid|idiot|useless|hate;fake|forged?;cheat|trick;swear")
    label("requires_account_data", "my (claim|application|payment|refund|points);my (account|record|reference);been (paid|approved|sent)|yet|right now")
    label("advice_opinions_predictions", "should i|worth it;recommend|advise|best|better;do you think|your opinion")
    label("about_chat", "are you;chatbot|robot|computer|human;who (built|made) you|how do you work;your answers")
    label("character_fun", "joke|sing|poem|song;favourite|if you were")
    label("genuine_rag", "how (do|can|long|much|many)|when (do|does|is)|where (do|can)|who (can|pays|gets)|do i (have|need)|can (i|my|we);apply|renew|claim|register|pay|send|report;tax|vat|benefits?|pension|allowance;passport|visa|licence|mot;school|childcare;business|company|employer;rent|landlord|housing|council;nhs|prescriptions?|gp;marriage|divorce|birth")
    label("positive_acknowledgement", "thanks?|cheers;great|brilliant|perfect|got it")
    label("greetings", "hello|hi|hey;good (morning|afternoon|evening)")

    # Letters beyond a to z count as one each; other signs (currency, quotes, emoji) part words.
    text = tolower(ENVIRON["INPUT"])
    foreign = gsub(/[\303-\337][\200-\277]|[\340\341\343-\355][\200-\277][\200-\277]/, "x", text)
    gsub(/[^a-z0-9]+/, " ", text)
    text = " " text " "
    words = split(text, unused, " ")

    best = "unclear_intent"
    most = 0
    second = 0
    for (l = 1; l <= labels; l++) {
        found = hits(rules[l])
        if (found > most) {
            second = most
            most = found
            best = names[l]
        } else if (found > second)
            second = found
    }

    # Little words of Welsh, French, Spanish, German and Polish and none of English, or hardly a plain letter.
    other = hits("sut|mae|yn|ydw;comment|est|les|pour;como|para|una;wie|ich|nicht;jak|czy|nie")
    english = hits("the|a|an;is|are|do|does;i|my|you;to|of|for|in|on;how|what|when|who")
    if ((other > 0 && english == 0) || foreign > 2 * words) {
        best = "non_english"
        most = 1 + other
        second = 0
    }

    confidence = most == 0 ? 0.5 : 0.5 + 0.15 * (most - second) + 0.05 * most
    if (confidence > 0.95) confidence = 0.95
    printf "{\"actual_outcome\": \"%s\", \"confidence_score\": %.2f}\n", best, confidence
}'
