cp rag_answers_generate.jsonl questions.jsonl
printf '#!/bin/sh\necho "We do not know."\n' >answer.sh
chmod +x answer.sh
