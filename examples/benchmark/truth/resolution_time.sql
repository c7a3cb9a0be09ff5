-- The expected number of tasks/resolution_time.yaml; facts.sql must have run. Hours from creation to solution, on
-- average over the solved downtime tickets that were created on the day :since or later.
SELECT round(avg((solved - created) / 3600.0), 2)
FROM ticket_fact WHERE category = 'downtime' AND status = 'solved' AND created >= unixepoch(:since);
