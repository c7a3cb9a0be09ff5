-- What is true of each ticket, for the truths beside this file: to be run first, with the databases attached as
-- `support` and `control`. Nothing is taken from the seed: the category comes from the words of the text, and the
-- project from its last id, as for anybody who reads the ticket.

-- Words that only one category's texts hold, one entry for each text of support.sql.
CREATE TEMP TABLE known_words (words TEXT PRIMARY KEY, category TEXT NOT NULL);
INSERT INTO known_words VALUES
  ('refuses every connection', 'downtime'),
  ('and none has come through since', 'downtime'),
  ('without exception, from all regions', 'downtime'),
  ('minutes ago and has not come back', 'downtime'),
  ('so the whole site stands still', 'downtime'),
  ('It is a complete outage', 'downtime'),
  ('traffic has dropped to zero', 'downtime'),
  ('a second try always succeeds', 'reliability'),
  ('and recover by themselves', 'reliability'),
  ('as if nothing had happened', 'reliability'),
  ('never the same ones', 'reliability'),
  ('with normal service between', 'reliability'),
  ('loses a delivery and we have to send it again', 'reliability'),
  ('it answers, stumbles, answers again', 'reliability'),
  ('the rows are right, only late', 'performance'),
  ('although our load is unchanged', 'performance'),
  ('times the memory it needed last month', 'performance'),
  ('it finishes, but at a crawl', 'performance'),
  ('becomes sluggish, and every click needs', 'performance'),
  ('where it should need a fraction of a second', 'performance'),
  ('of the throughput we had in autumn', 'performance'),
  ('whenever a row holds a negative amount', 'bug'),
  ('as the last day of the month before', 'bug'),
  ('as if only the first condition were there', 'bug'),
  ('stores the record twice', 'bug'),
  ('Names with accents are garbled', 'bug'),
  ('puts 10 before 9', 'bug'),
  ('if it sends the key in capitals', 'bug'),
  ('today there is no such thing', 'feature request'),
  ('We would be glad to try them early', 'feature request'),
  ('Please add a CSV download', 'feature request'),
  ('which is not on offer yet', 'feature request'),
  ('An idea for your roadmap', 'feature request'),
  ('Could a future version', 'feature request'),
  ('hope that you will build them one day', 'feature request'),
  ('The postal address on our last invoice', 'others'),
  ('A colleague is leaving', 'others'),
  ('Our lawyers ask for', 'others'),
  ('Kindly print our tax number', 'others'),
  ('Is there a course for beginners', 'others'),
  ('Nothing to repair this time', 'others'),
  ('For an audit we need to know', 'others');

-- The last id of each description: a window of 36 characters moves from the end to the front until it holds one.
CREATE TEMP TABLE named_project (ticket_id INTEGER PRIMARY KEY, project_id TEXT NOT NULL);
WITH RECURSIVE slide(ticket_id, description, at, is_id) AS (
  SELECT ticket_id, description, length(description) - 34, 0 FROM support.support_ticket
  UNION ALL
  SELECT ticket_id, description, at - 1,
         substr(description, at - 1, 36) GLOB replace('hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh', 'h', '[0-9a-f]')
  FROM slide WHERE NOT is_id AND at > 1)
INSERT INTO named_project SELECT ticket_id, substr(description, at, 36) FROM slide WHERE is_id ORDER BY ticket_id;

-- A ticket whose words or project are unknown stops the script (NOT NULL), and so does one with words of two categories
-- (PRIMARY KEY).
CREATE TEMP TABLE ticket_fact (
  ticket_id INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  created INTEGER NOT NULL,  -- seconds since 1970, as is `solved`
  solved INTEGER,
  category TEXT NOT NULL,
  project_id TEXT NOT NULL,
  owner_id INTEGER NOT NULL
);
INSERT INTO ticket_fact
SELECT ticket_id, status, unixepoch(ticket.created_at), unixepoch(solved_at), category, project_id, owner_id
FROM support.support_ticket AS ticket
LEFT JOIN known_words ON instr(description, words) > 0
LEFT JOIN named_project USING (ticket_id)
LEFT JOIN control.projects AS project ON project.id = project_id
ORDER BY ticket_id;

-- The plan that a project is on now, and what it has paid: all items of its paid invoices.
CREATE TEMP TABLE project_fact (
  project_id TEXT PRIMARY KEY, owner_id INTEGER NOT NULL, plan TEXT NOT NULL, paid_cents INTEGER NOT NULL);
INSERT INTO project_fact
SELECT project.id, owner_id,
       (SELECT plan.name FROM control.project_plan_changelogs AS change JOIN control.plans AS plan ON plan.id = plan_id
        WHERE change.project_id = project.id ORDER BY changed_at DESC LIMIT 1),
       (SELECT coalesce(sum(amount_cents), 0)
        FROM control.invoice JOIN control.invoice_item AS item ON item.invoice_id = invoice.id
        WHERE invoice.project_id = project.id AND invoice.status = 'paid')
FROM control.projects AS project;
