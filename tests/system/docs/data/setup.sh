sqlite3 tickets.db "CREATE TABLE routed (question, expected_outcome, actual_outcome); INSERT INTO routed VALUES ('When is VAT due?', 'tax', 'tax')"
