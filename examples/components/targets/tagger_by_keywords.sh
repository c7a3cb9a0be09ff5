#!/bin/sh
# Tags a question by keywords: reads it from INPUT, prints {"actual_primary_topic": ..., "actual_secondary_topic": ...,
# "status": "success"}. The topic with the most hits is the primary one, the runner-up the secondary one, the earlier
# topic if equal. A question without any keyword is reported as an error of the tagger. Nothing of the input reaches
# the output, so any input gives valid JSON.

LC_ALL=C
export LC_ALL

exec awk '
# Counts the patterns, separated by ";", that occur as whole words, and keeps the two best topics.
function topic(name, patterns,    list, count, i, hits) {
    count = split(patterns, list, ";")
    hits = 0
    for (i = 1; i <= count; i++)
        if (text ~ (" (" list[i] ") ")) hits++
    if (hits > most) {
        second = most; secondary = primary
        most = hits; primary = name
    } else if (hits > second) {
        second = hits; secondary = name
    }
}

function quoted(name) { return name == "" ? "null" : "\"" name "\"" }

BEGIN {
    text = tolower(ENVIRON["INPUT"])
    gsub(/[^a-z0-9]+/, " ", text)
    text = " " text " "

    topic("driving", "driv(e|er|ers|ing);driving licence|mot|vehicles?;cars?|vans?;speeding|points")
    topic("passports_travel", "passports?;travel|fly|abroad|holiday abroad")
    topic("visas_immigration", "visas?;leave to remain|asylum|settlement|citizenship|sponsor")
    topic("births_deaths_marriages", "births?|baby|newborn;death|dies|died|probate;marriages?|married|divorced?;certificates?|register office")
    topic("pensions", "pensions?;state pension|workplace pension;retire|retirement")
    topic("education", "schools?|pupils?|student;college|university|teachers?;excluded|admissions?")
    topic("housing", "rent|landlord|tenancy|tenant;house|flat|home|room;deposit|evict(ed|ion)|mortgage|no fixed address")
    topic("employment", "employers?|employees?|boss;wages?|maternity pay|sick pay|holiday pay;job|workplace|redundan(t|cy)|self employed")
    topic("benefits", "benefits?|housing benefit|child benefit;universal credit|pension credit|pip|carers? allowance;claim")
    topic("business", "business|company|sole trader|firm;self employed|directors?;insurance|accounts")
    topic("tax", "tax|vat;tax return|self assessment|allowances?;refund|national insurance")
    topic("environment", "waste|bins?|recycl(e|ing)|fly tipping;environment|environment agency;clean air|smoke|noise|floods?")
    topic("health_care", "gp|hospital|dentist|dental|nhs;treatment|prescriptions?|vaccinations?;care home|disab(led|ility)")
    topic("crime_justice", "police|court|magistrates;charged|guilty|crime|offence|legal aid;fines?|appeal|jury")

    if (most == 0)
        print "{\"actual_primary_topic\": null, \"actual_secondary_topic\": null, \"status\": \"error\", \"error_message\": \"no topic has a word of this question\"}"
    else
        printf "{\"actual_primary_topic\": %s, \"actual_secondary_topic\": %s, \"status\": \"success\"}\n", quoted(primary), quoted(secondary)
}'
