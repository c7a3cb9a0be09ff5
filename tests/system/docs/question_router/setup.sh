cp examples/components/targets/router_by_keywords.sh .
