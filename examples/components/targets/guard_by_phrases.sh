#!/bin/sh
# Tells jailbreak attempts by their phrases: reads the input from INPUT, prints {"actual_outcome": true} or false.
# Nothing of the input reaches the output, so any input gives valid JSON.

LC_ALL=C
export LC_ALL

exec awk '
BEGIN {
    text = tolower(ENVIRON["INPUT"])
    gsub(/[^a-z0-9]+/, " ", text)
    text = " " text " "

    rules  = "(your|the|these|those|all|any|previous|prior) (previous |prior |earlier |own )*(rules?|instructions?|guidance|guidelines?|prompt|limits|restrictions)"
    attack = text ~ (" (ignore|disregard|forget|override|bypass|drop) (all |of )*" rules " ")
    attack = attack || text ~ " (system|hidden|first|initial) (prompt|message|instructions) "
    attack = attack || text ~ " (print|reveal|show|repeat|translate|tell me) (me )?(what )?your (own )?(first |system |hidden )?(prompt|instructions|rules|message|configuration) "
    attack = attack || text ~ " (pretend|imagine|act as if|suppose) (that )?you (are|have|had|were) "
    attack = attack || text ~ " you are now | from now on | stay in character | in character as | unrestricted | no restrictions | without (any )?(rules|limits|restrictions) "
    attack = attack || text ~ " (developer|debug|admin|test) mode | this is the developer | base64 "
    attack = attack || text ~ " assistant .* user | user .* assistant "
    print attack ? "{\"actual_outcome\": true}" : "{\"actual_outcome\": false}"
}'
