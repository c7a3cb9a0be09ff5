cp examples/components/targets/router_by_keywords.sh .
mkdir router
sed -i 's/^{/{"language": "en", "region": "north", /' question_router_generate.jsonl
