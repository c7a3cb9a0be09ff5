head -3 examples/components/rag_answers.jsonl >rag_answers.jsonl
