rm question_router.jsonl
assay init question_router .
