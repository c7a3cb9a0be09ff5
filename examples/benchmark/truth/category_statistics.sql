-- The expected rows of tasks/category_statistics.yaml; facts.sql must have run. Open tickets that were created before
-- the day :day, and their mean age in days when that day began.
SELECT category, count(*) AS tickets, round(avg((unixepoch(:day) - created) / 86400.0), 2) AS mean_age_days
FROM ticket_fact WHERE status = 'open' AND created < unixepoch(:day)
GROUP BY category ORDER BY tickets DESC, category;
