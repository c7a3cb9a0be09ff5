cp -r examples/guidelines/conversations.jsonl examples/guidelines/shared .
