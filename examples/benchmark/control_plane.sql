-- The control plane of a made-up company that hosts data APIs: who owns which project, its plan, and what was paid.
-- Fills an empty database, the same on every run; names that are taken are an error, so that no other data are lost:
--   sqlite3 -bail control_plane.db < control_plane.sql
-- The company's day is 2025-01-17. Times are UTC, "YYYY-MM-DD HH:MM:SS". Support tickets are in support.sql.
BEGIN;

-- Shared part: the same text in support.sql and control_plane.sql (make_tasks.py --check compares them), so that both
-- databases tell of the same people and projects. To get other data change the seed here, in both files, and run
-- make_tasks.py; any whole number from 0 to 2147483647 will do.
CREATE TEMP TABLE seed AS SELECT 59 AS seed;

-- What is drawn by lot: for each row of a subject one number per name. Numbers of draws differ, or two would be equal.
CREATE TEMP TABLE draw (subject TEXT, rows INTEGER, name TEXT, number INTEGER PRIMARY KEY);
INSERT INTO draw VALUES
  ('person', 120, 'first', 1), ('person', 120, 'last', 2), ('person', 120, 'joined', 3),
  ('project', 300, 'id1', 4), ('project', 300, 'id2', 5), ('project', 300, 'id3', 6), ('project', 300, 'id4', 7),
  ('project', 300, 'owner', 8), ('project', 300, 'words', 9), ('project', 300, 'created', 10),
  ('project', 300, 'plan', 11), ('project', 300, 'size', 12),
  ('change', 600, 'chance', 13), ('change', 600, 'plan', 14), ('change', 600, 'moment', 15),
  ('bill', 3600, 'status', 16), ('bill', 3600, 'usage', 17), ('bill', 3600, 'storage', 18),
  ('bill', 3600, 'credit', 19),
  ('ticket', 2000, 'moment', 20), ('ticket', 2000, 'person', 21), ('ticket', 2000, 'project', 22),
  ('ticket', 2000, 'category', 23), ('ticket', 2000, 'problem', 24), ('ticket', 2000, 'part', 25),
  ('ticket', 2000, 'count', 26), ('ticket', 2000, 'status', 27), ('ticket', 2000, 'duration', 28),
  ('ticket', 2000, 'title', 29), ('ticket', 2000, 'greeting', 30), ('ticket', 2000, 'detail', 31),
  ('ticket', 2000, 'aside', 32), ('ticket', 2000, 'decoy', 33), ('ticket', 2000, 'trace', 34),
  ('ticket', 2000, 'pointer', 35), ('ticket', 2000, 'closing', 36), ('ticket', 2000, 'comments', 37),
  ('comment', 6000, 'moment', 38), ('comment', 6000, 'text', 39);

-- The lots themselves, 0 to 4294967295: seed, row and number of the draw, scattered by three rounds of "x ^= x >> 16,
-- x *= 73244475" in 32 bits. SQLite has no exclusive or; (a | b) - (a & b) is one. No product exceeds 63 bits, beyond
-- which SQLite would go on in floating point.
CREATE TEMP TABLE lot (
  subject TEXT, row INTEGER, name TEXT, value INTEGER, PRIMARY KEY (subject, row, name)) WITHOUT ROWID;
WITH RECURSIVE
  rows(row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM rows WHERE row < (SELECT max(rows) FROM draw)),
  start(subject, row, name, x) AS MATERIALIZED (
    SELECT subject, row, name, (seed * 2654435761 + row * 64 + number) & 4294967295
    FROM seed, draw JOIN rows ON row <= draw.rows),
  folded1 AS MATERIALIZED (SELECT subject, row, name, (x | (x >> 16)) - (x & (x >> 16)) AS x FROM start),
  round1 AS MATERIALIZED (SELECT subject, row, name, (x * 73244475) & 4294967295 AS x FROM folded1),
  folded2 AS MATERIALIZED (SELECT subject, row, name, (x | (x >> 16)) - (x & (x >> 16)) AS x FROM round1),
  round2 AS MATERIALIZED (SELECT subject, row, name, (x * 73244475) & 4294967295 AS x FROM folded2),
  folded3 AS MATERIALIZED (SELECT subject, row, name, (x | (x >> 16)) - (x & (x >> 16)) AS x FROM round2),
  round3 AS MATERIALIZED (SELECT subject, row, name, (x * 73244475) & 4294967295 AS x FROM folded3)
INSERT INTO lot SELECT subject, row, name, (x | (x >> 16)) - (x & (x >> 16)) FROM round3 ORDER BY subject, row, name;

-- Everybody who has an account; name and mail address are the same in both databases, the ids are not.
CREATE TEMP TABLE first_name (number INTEGER PRIMARY KEY, name TEXT);
INSERT INTO first_name VALUES
  (0, 'Amara'), (1, 'Bruno'), (2, 'Chiara'), (3, 'Dmitri'), (4, 'Elif'), (5, 'Farid'), (6, 'Greta'), (7, 'Hiroshi'),
  (8, 'Ingrid'), (9, 'Jorge'), (10, 'Kavya'), (11, 'Liam'), (12, 'Mei'), (13, 'Nadia'), (14, 'Oskar'), (15, 'Priya');
CREATE TEMP TABLE last_name (number INTEGER PRIMARY KEY, name TEXT);
INSERT INTO last_name VALUES
  (0, 'Abbott'), (1, 'Bianchi'), (2, 'Castro'), (3, 'Dahl'), (4, 'Eriksen'), (5, 'Fontaine'), (6, 'Gruber'),
  (7, 'Haddad'), (8, 'Ivanova'), (9, 'Jansen'), (10, 'Kowalski'), (11, 'Lindgren'), (12, 'Moreau'), (13, 'Nakamura'),
  (14, 'Okafor'), (15, 'Petrov'), (16, 'Quintero'), (17, 'Rossi'), (18, 'Sato');
CREATE TEMP TABLE person (row INTEGER PRIMARY KEY, name TEXT, email TEXT, joined_at TEXT);
INSERT INTO person
SELECT dice.row, first_name.name || ' ' || last_name.name,
       lower(first_name.name || '.' || last_name.name) || dice.row || '@example.org',
       datetime('2021-01-04', '+' || (joined % 31536000) || ' seconds')
FROM (SELECT row, max(value) FILTER (WHERE name = 'first') AS first, max(value) FILTER (WHERE name = 'last') AS last,
             max(value) FILTER (WHERE name = 'joined') AS joined
      FROM lot WHERE subject = 'person' GROUP BY row) AS dice
JOIN first_name ON first_name.number = first % 16 JOIN last_name ON last_name.number = last % 19;

-- The ids of the projects, in the form of a random UUID (version 4).
CREATE TEMP TABLE project_id (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
INSERT INTO project_id
SELECT row, printf('%08x-%04x-4%03x-%x%03x-%04x%08x', id1, id2 >> 16, id2 & 4095, 8 + (id3 >> 30), (id3 >> 16) & 4095,
                   id3 & 65535, id4)
FROM (SELECT row, max(value) FILTER (WHERE name = 'id1') AS id1, max(value) FILTER (WHERE name = 'id2') AS id2,
             max(value) FILTER (WHERE name = 'id3') AS id3, max(value) FILTER (WHERE name = 'id4') AS id4
      FROM lot WHERE subject = 'project' GROUP BY row);
-- End of the shared part.

-- A customer's account.
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  created_at TEXT NOT NULL
);
INSERT INTO users SELECT 1000 + row, name, email, joined_at FROM person;

-- What a customer runs with us. One owner may have many projects.
CREATE TABLE projects (
  id TEXT PRIMARY KEY,  -- a UUID
  name TEXT NOT NULL UNIQUE,
  owner_id INTEGER NOT NULL REFERENCES users (id),
  created_at TEXT NOT NULL
);
CREATE TEMP TABLE adjective (number INTEGER PRIMARY KEY, word TEXT);
INSERT INTO adjective VALUES
  (0, 'amber'), (1, 'brisk'), (2, 'coral'), (3, 'dusty'), (4, 'early'), (5, 'fallow'), (6, 'gentle'), (7, 'hollow'),
  (8, 'ivory'), (9, 'jolly'), (10, 'keen'), (11, 'lunar'), (12, 'misty');
CREATE TEMP TABLE noun (number INTEGER PRIMARY KEY, word TEXT);
INSERT INTO noun VALUES
  (0, 'anchor'), (1, 'beacon'), (2, 'canyon'), (3, 'delta'), (4, 'ember'), (5, 'ferry'), (6, 'grove'), (7, 'harbour'),
  (8, 'inlet'), (9, 'jetty'), (10, 'kiln'), (11, 'ledger'), (12, 'meadow'), (13, 'nook'), (14, 'orchard');
-- `size` 1 to 9, small ones more often: how much is used. `plan` is the first one.
CREATE TEMP TABLE project_plan AS
SELECT row, id, size, plan, created_at FROM project_id JOIN (
  SELECT row,
         1 + (max(value) FILTER (WHERE name = 'size') % 9) * (max(value) FILTER (WHERE name = 'size') / 9 % 9) / 8
           AS size,
         CASE WHEN max(value) FILTER (WHERE name = 'plan') % 100 < 60 THEN 1
              WHEN max(value) FILTER (WHERE name = 'plan') % 100 < 86 THEN 2 ELSE 3 END AS plan,
         datetime('2022-01-10', '+' || (max(value) FILTER (WHERE name = 'created') % 45360000) || ' seconds')
           AS created_at
  FROM lot WHERE subject = 'project' GROUP BY row) USING (row);
INSERT INTO projects
SELECT id, adjective.word || '-' || noun.word || '-' || row,
       -- The smaller of two draws: some owners have many projects.
       1001 + min(owner % 120, owner / 120 % 120), created_at
FROM (SELECT row, max(value) FILTER (WHERE name = 'owner') AS owner, max(value) FILTER (WHERE name = 'words') AS words
      FROM lot WHERE subject = 'project' GROUP BY row) AS dice
JOIN project_plan USING (row)
JOIN adjective ON adjective.number = words % 13 JOIN noun ON noun.number = words / 13 % 15
ORDER BY row;
CREATE INDEX projects_by_owner ON projects (owner_id);

-- What a project can be on.
CREATE TABLE plans (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,  -- free, base or advanced
  monthly_fee_cents INTEGER NOT NULL
);
INSERT INTO plans VALUES (1, 'free', 0), (2, 'base', 4900), (3, 'advanced', 29900);

-- The plan that a project is on from a moment on; the latest row holds. The first one is from the project's beginning.
CREATE TABLE project_plan_changelogs (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  plan_id INTEGER NOT NULL REFERENCES plans (id),
  changed_at TEXT NOT NULL
);
CREATE TEMP TABLE change AS
SELECT (row + 1) / 2 AS project, 2 - row % 2 AS number,
       max(value) FILTER (WHERE name = 'chance') % 100 AS chance,
       1 + max(value) FILTER (WHERE name = 'plan') % 2 AS step,
       max(value) FILTER (WHERE name = 'moment') AS moment
FROM lot WHERE subject = 'change' GROUP BY row;
WITH
  first(project, plan, at) AS (SELECT row, plan, created_at FROM project_plan),
  -- A change leads to one of the other two plans: at most one until March 2024, and at most one after it.
  second(project, plan, at) AS (
    SELECT project, (plan - 1 + step) % 3 + 1, datetime('2023-07-01', '+' || (moment % 23673600) || ' seconds')
    FROM first JOIN change USING (project) WHERE number = 1 AND chance < 20),
  third(project, plan, at) AS (
    SELECT project, (coalesce(second.plan, first.plan) - 1 + step) % 3 + 1,
           datetime('2024-04-01', '+' || (moment % 24537600) || ' seconds')
    FROM first JOIN change USING (project) LEFT JOIN second USING (project) WHERE number = 2 AND chance < 25),
  every AS (SELECT * FROM first UNION ALL SELECT * FROM second UNION ALL SELECT * FROM third)
INSERT INTO project_plan_changelogs
SELECT row_number() OVER (ORDER BY at, project), id, every.plan, at
FROM every JOIN project_id ON project_id.row = project ORDER BY at, project;
CREATE INDEX project_plan_changelogs_by_project ON project_plan_changelogs (project_id, changed_at);

-- A bill for a month of 2024, written on the first day of the next; none for months that begin on the free plan.
CREATE TABLE invoice (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  period TEXT NOT NULL,  -- the month, YYYY-MM
  issued_at TEXT NOT NULL,
  status TEXT NOT NULL   -- paid; open: not paid yet; void: withdrawn, will never be paid
);
CREATE TEMP TABLE bill AS
WITH RECURSIVE month(number, first_day) AS (
  SELECT 1, '2024-01-01' UNION ALL SELECT number + 1, date(first_day, '+1 month') FROM month WHERE number < 12)
SELECT row_number() OVER (ORDER BY month.number, project_plan.row) AS id, project_plan.id AS project_id, first_day,
       (SELECT plan_id FROM project_plan_changelogs AS change
        WHERE change.project_id = project_plan.id AND changed_at < first_day ORDER BY changed_at DESC LIMIT 1) AS plan,
       size, dice.*
FROM month, project_plan JOIN (
  SELECT row AS lot, max(value) FILTER (WHERE name = 'status') % 100 AS status,
         max(value) FILTER (WHERE name = 'usage') AS usage, max(value) FILTER (WHERE name = 'storage') AS storage,
         max(value) FILTER (WHERE name = 'credit') AS credit
  FROM lot WHERE subject = 'bill' GROUP BY row) AS dice
  ON dice.lot = (month.number - 1) * 300 + project_plan.row;
DELETE FROM bill WHERE plan = 1;
UPDATE bill SET id = 50000 + place FROM (SELECT id AS old, row_number() OVER (ORDER BY id) AS place FROM bill)
WHERE id = old;
INSERT INTO invoice
SELECT id, project_id, substr(first_day, 1, 7), datetime(first_day, '+1 month'),
       CASE WHEN status < 4 THEN 'void' WHEN status < 40 AND first_day = '2024-12-01' THEN 'open'
            WHEN status < 7 THEN 'open' ELSE 'paid' END
FROM bill ORDER BY id;
CREATE INDEX invoice_by_project ON invoice (project_id);

-- What a bill consists of. Credits are negative.
CREATE TABLE invoice_item (
  id INTEGER PRIMARY KEY,
  invoice_id INTEGER NOT NULL REFERENCES invoice (id),
  description TEXT NOT NULL,
  amount_cents INTEGER NOT NULL
);
WITH item(invoice_id, place, description, amount_cents) AS (
  SELECT bill.id, 1, 'Monthly fee, ' || plans.name || ' plan', monthly_fee_cents
  FROM bill JOIN plans ON plans.id = plan
  UNION ALL
  SELECT id, 2, 'Requests', size * CASE plan WHEN 2 THEN 100 + usage % 2400 ELSE 2500 + usage % 7500 END FROM bill
  UNION ALL
  SELECT id, 3, 'Storage', size * (50 + storage / 100 % 900) FROM bill WHERE storage % 100 < 45
  UNION ALL
  SELECT id, 4, 'Credit', -(500 + credit / 100 % 4000) FROM bill WHERE credit % 100 < 6)
INSERT INTO invoice_item
SELECT 800000 + row_number() OVER (ORDER BY invoice_id, place), invoice_id, description, amount_cents
FROM item ORDER BY invoice_id, place;
CREATE INDEX invoice_item_by_invoice ON invoice_item (invoice_id);

DROP TABLE temp.bill;
DROP TABLE temp.change;
DROP TABLE temp.project_plan;
DROP TABLE temp.noun;
DROP TABLE temp.adjective;
DROP TABLE temp.project_id;
DROP TABLE temp.person;
DROP TABLE temp.last_name;
DROP TABLE temp.first_name;
DROP TABLE temp.lot;
DROP TABLE temp.draw;
DROP TABLE temp.seed;
COMMIT;
