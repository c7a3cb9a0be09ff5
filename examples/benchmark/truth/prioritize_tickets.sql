-- The expected ranking of tasks/prioritize_tickets.yaml; facts.sql must have run. :data is "all" or "last N". Each
-- ticket gets up to 100 points:
--   category  25 downtime, 20 reliability, 15 performance, 10 bug, 5 feature request, 0 others
--   plan      15 advanced, 10 base, 0 free
--   project   20 · what its project has paid / the most that a project of these tickets has paid
--   owner     20 · what all projects of the project's owner have paid / the most for an owner of these tickets
--   age       20 · (created - oldest) / (newest - oldest) of these tickets: 20 for the newest, 0 for the oldest
WITH
  chosen AS (
    SELECT ticket_id, project_id, category, created FROM (
      SELECT *, row_number() OVER (ORDER BY created DESC) AS place FROM ticket_fact WHERE status = 'open')
    WHERE :data = 'all' OR place <= CAST(substr(:data, length('last ') + 1) AS INTEGER)),
  known AS (
    SELECT ticket_id, project_id, category, created, plan, paid_cents,
           (SELECT sum(paid_cents) FROM project_fact AS its WHERE its.owner_id = project.owner_id) AS owner_paid_cents
    FROM chosen JOIN project_fact AS project USING (project_id)),
  points AS (
    SELECT ticket_id, project_id,
           CASE category WHEN 'downtime' THEN 25 WHEN 'reliability' THEN 20 WHEN 'performance' THEN 15
                         WHEN 'bug' THEN 10 WHEN 'feature request' THEN 5 ELSE 0 END
             + CASE plan WHEN 'advanced' THEN 15 WHEN 'base' THEN 10 ELSE 0 END
             + 20.0 * paid_cents / max(paid_cents) OVER ()
             + 20.0 * owner_paid_cents / max(owner_paid_cents) OVER ()
             + 20.0 * (created - min(created) OVER ()) / (max(created) OVER () - min(created) OVER ())
             AS score
    FROM known)
SELECT ticket_id, project_id, round(score, 2) AS priority_score FROM points ORDER BY score DESC;
