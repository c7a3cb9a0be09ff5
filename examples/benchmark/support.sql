-- The help desk of a made-up company that hosts data APIs: 2,000 tickets and what was said about them. Fills an empty
-- database, the same on every run; names that are taken are an error, so that no other data are lost:
--   sqlite3 -bail support.db < support.sql
-- The company's day is 2025-01-17. Times are UTC, "YYYY-MM-DD HH:MM:SS". Two things are nowhere but in a ticket's text:
-- its category, and the id of its project, which is the last id there. The projects are in control_plane.sql.
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

-- Whoever writes to the help desk; the mail address is the one of the account. Need not own the project.
CREATE TABLE support_user (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE
);
INSERT INTO support_user SELECT 5000 + row, name, email FROM person;

-- A question or complaint. The later it was written, the higher its number.
CREATE TABLE support_ticket (
  ticket_id INTEGER PRIMARY KEY,
  support_user_id INTEGER NOT NULL REFERENCES support_user (id),
  created_at TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,  -- open: waits for us; pending: waits for the customer; solved; closed: given up unsolved
  solved_at TEXT,        -- if and only if it is solved
  title TEXT NOT NULL,
  description TEXT NOT NULL
);

-- How often a category comes (a lot of 0 to 99 from `low` to `high`) and how many seconds it takes to be solved.
CREATE TEMP TABLE category (name TEXT PRIMARY KEY, low INTEGER, high INTEGER, shortest INTEGER, longest INTEGER);
INSERT INTO category VALUES
  ('downtime', 0, 14, 1800, 108000),
  ('reliability', 15, 32, 7200, 432000),
  ('performance', 33, 52, 21600, 1036800),
  ('bug', 53, 73, 86400, 2160000),
  ('feature request', 74, 87, 172800, 5184000),
  ('others', 88, 99, 3600, 345600);

-- What is said. {part} and {count} are put in later. Each text has words of its own by which truth/facts.sql knows it.
CREATE TEMP TABLE problem (category TEXT, number INTEGER, title TEXT, text TEXT, PRIMARY KEY (category, number));
INSERT INTO problem VALUES
  ('downtime', 0, 'Nothing answers',
   'Since this morning {part} refuses every connection; our customers see a blank page.'),
  ('downtime', 1, 'Cannot get through',
   'We cannot reach {part} from anywhere: {count} probes in a row failed, and none has come through since.'),
  ('downtime', 2, '503 for everyone',
   'All requests to {part} end in a 503, without exception, from all regions.'),
  ('downtime', 3, 'Our shop is dark',
   'Our shop is dark because {part} went away {count} minutes ago and has not come back.'),
  ('downtime', 4, 'Did not start again',
   'After the nightly restart {part} never came up, so the whole site stands still.'),
  ('downtime', 5, 'Everybody is idle here',
   'It is a complete outage on our side: {part} gives no reply at all, and {count} people in the office cannot work.'),
  ('downtime', 6, 'Health checks red',
   'Every health check of {part} has been red for {count} minutes and traffic has dropped to zero.'),

  ('reliability', 0, 'Errors that come and go',
   'About one call in {count} to {part} fails with a 502; a second try always succeeds.'),
  ('reliability', 1, 'Connections cut',
   'Long connections to {part} are cut at irregular moments, {count} times yesterday, and recover by themselves.'),
  ('reliability', 2, 'Strange pauses',
   'Now and then {part} times out for a few seconds and then works as if nothing had happened.'),
  ('reliability', 3, 'Nightly jobs fail by chance',
   'Of {count} hundred nightly jobs a handful fail when they talk to {part}, never the same ones.'),
  ('reliability', 4, 'Gaps in our monitoring',
   'Our monitoring shows gaps of ten to twenty seconds on {part}, {count} of them this week, with normal service '
   || 'between.'),
  ('reliability', 5, 'Lost deliveries',
   'Most events arrive, yet every few hours {part} loses a delivery and we have to send it again.'),
  ('reliability', 6, 'Shaky since the failover',
   'Ever since the failover {part} is shaky: it answers, stumbles, answers again.'),

  ('performance', 0, 'Long lists take long',
   'Lists that took half a second now take {count} seconds through {part}; the rows are right, only late.'),
  ('performance', 1, 'Response times creep up',
   'The median response time of {part} has doubled in {count} days although our load is unchanged.'),
  ('performance', 2, 'Hungry for memory',
   'We see that {part} does its work correctly but takes {count} times the memory it needed last month.'),
  ('performance', 3, 'Import needs all night',
   'Importing {count} thousand rows by way of {part} takes until morning; it finishes, but at a crawl.'),
  ('performance', 4, 'Heavy around noon',
   'Around noon {part} becomes sluggish, and every click needs {count} seconds until its page is drawn.'),
  ('performance', 5, 'An expensive join',
   'One join over {part} burns {count} seconds of processor time where it should need a fraction of a second.'),
  ('performance', 6, 'Fewer requests per second',
   'We measured {count} requests per second through {part}, a third of the throughput we had in autumn.'),

  ('bug', 0, 'Totals do not add up',
   'The sum that {part} shows is off by {count} whenever a row holds a negative amount.'),
  ('bug', 1, 'Dates move',
   'A date saved as the first of a month comes back from {part} as the last day of the month before.'),
  ('bug', 2, 'Second condition ignored',
   'With a filter on two columns {part} returns all {count} rows as if only the first condition were there.'),
  ('bug', 3, 'Saved twice',
   'Pressing Save two times in {part} stores the record twice; we can repeat it as often as we like.'),
  ('bug', 4, 'Accents',
   'Names with accents are garbled after a round trip through {part}; plain letters stay intact.'),
  ('bug', 5, 'Numbers in odd order',
   'Sorting by number in {part} puts 10 before 9, as if the values were words.'),
  ('bug', 6, 'Deleting without the right to',
   'A role that may only read can delete a row through {part} if it sends the key in capitals.'),

  ('feature request', 0, 'Weekly digest',
   'It would help us if {part} could mail a weekly digest; today there is no such thing.'),
  ('feature request', 1, 'A second region',
   'Would you consider read copies of {part} in a second region? We would be glad to try them early.'),
  ('feature request', 2, 'CSV',
   'Please add a CSV download to {part}; at present we copy {count} pages by hand.'),
  ('feature request', 3, 'Hardware keys',
   'We would love to sign in to {part} with a hardware key, which is not on offer yet.'),
  ('feature request', 4, 'Spending limit',
   'An idea for your roadmap: let us set a monthly limit of our own for {part}.'),
  ('feature request', 5, 'Templates',
   'Could a future version of {part} have templates, so that our {count} teams need not start from nothing?'),
  ('feature request', 6, 'Shortcuts',
   'Our operators would like keyboard shortcuts in {part} and hope that you will build them one day.'),

  ('others', 0, 'New address',
   'The postal address on our last invoice is out of date; please send the next one to {count} Harbour Street.'),
  ('others', 1, 'Handing over',
   'A colleague is leaving, and her account should be carried over to me by the end of the month.'),
  ('others', 2, 'Paper for our lawyers',
   'Our lawyers ask for a signed copy of the agreement on data processing.'),
  ('others', 3, 'Tax number',
   'Kindly print our tax number on all receipts from now on.'),
  ('others', 4, 'Training',
   'Is there a course for beginners that {count} new colleagues could attend?'),
  ('others', 5, 'Thanks',
   'Nothing to repair this time, only thanks to the person who was so patient with us on the phone.'),
  ('others', 6, 'Audit',
   'For an audit we need to know in which country your support staff sit.');

-- The rest of a text: none of it says anything about the category. Half the lots find no aside, three in four no decoy.
CREATE TEMP TABLE wording (kind TEXT, number INTEGER, text TEXT, PRIMARY KEY (kind, number));
INSERT INTO wording VALUES
  ('part', 0, 'the query endpoint'), ('part', 1, 'the admin console'), ('part', 2, 'the webhook relay'),
  ('part', 3, 'the reporting service'), ('part', 4, 'the upload gateway'), ('part', 5, 'the partner portal'),
  ('title', 0, 'Please have a look'), ('title', 1, 'A word about our project'), ('title', 2, 'Your help is needed'),
  ('greeting', 0, 'Hello,'), ('greeting', 1, 'Good morning,'), ('greeting', 2, 'Dear support team,'),
  ('greeting', 3, 'Hi all,'), ('greeting', 4, 'To whom it may concern:'),
  ('detail', 0, 'I am at my desk until five.'), ('detail', 1, 'My colleague in Porto has a copy of this.'),
  ('detail', 2, 'We use version 2.{number} of your client library.'), ('detail', 3, 'Our own reference is K-{number}.'),
  ('detail', 4, 'You can ring me on extension {number}.'), ('detail', 5, 'An answer in English or Spanish is fine.'),
  ('aside', 0, 'This has nothing to do with the outage in spring.'),
  ('aside', 1, 'The slow exports of last month are fine now, by the way.'),
  ('aside', 2, 'The bug that we reported in May is gone, thank you for that.'),
  ('aside', 3, 'The timeouts that I wrote about earlier were our own fault.'),
  ('aside', 4, 'We are pleased with the new features of the last release.'),
  ('decoy', 0, 'Our other project {other} is not concerned.'),
  ('decoy', 1, 'Last time I wrote about {other}; forget that one.'),
  ('decoy', 2, 'My colleague will write about {other} separately.'),
  ('decoy', 3, 'The trace of my last visit is {trace}.'),
  ('decoy', 4, 'Your chat robot filed this under {trace}.'),
  ('pointer', 0, 'Project: {project}'), ('pointer', 1, 'The project is {project}.'),
  ('pointer', 2, 'All this is about project {project}.'), ('pointer', 3, 'Project id {project}, as always.'),
  ('closing', 0, 'Thanks,'), ('closing', 1, 'Best wishes,'), ('closing', 2, 'Kind regards,'), ('closing', 3, 'Yours,'),
  ('staff', 0, 'Thank you for writing. A colleague is reading it now.'),
  ('staff', 1, 'Could you tell us since when you have noticed this?'),
  ('staff', 2, 'We have passed this on to the team in charge.'),
  ('staff', 3, 'We will be in touch as soon as there is something to tell.'),
  ('staff', 4, 'Would a short call this week suit you?'),
  ('customer', 0, 'Is there any news?'), ('customer', 1, 'Thank you, that is kind.'),
  ('customer', 2, 'I have nothing to add to what I wrote.'), ('customer', 3, 'Any day but Friday suits me.'),
  ('customer', 4, 'My colleague will answer while I am away.');

CREATE TEMP TABLE dice AS
SELECT row, max(value) FILTER (WHERE name = 'moment') AS moment, max(value) FILTER (WHERE name = 'person') AS person,
       max(value) FILTER (WHERE name = 'project') AS project, max(value) FILTER (WHERE name = 'category') AS category,
       max(value) FILTER (WHERE name = 'problem') AS problem, max(value) FILTER (WHERE name = 'part') AS part,
       max(value) FILTER (WHERE name = 'count') AS count, max(value) FILTER (WHERE name = 'status') AS status,
       max(value) FILTER (WHERE name = 'duration') AS duration, max(value) FILTER (WHERE name = 'title') AS title,
       max(value) FILTER (WHERE name = 'greeting') AS greeting, max(value) FILTER (WHERE name = 'detail') AS detail,
       max(value) FILTER (WHERE name = 'aside') AS aside, max(value) FILTER (WHERE name = 'decoy') AS decoy,
       max(value) FILTER (WHERE name = 'trace') AS trace, max(value) FILTER (WHERE name = 'pointer') AS pointer,
       max(value) FILTER (WHERE name = 'closing') AS closing, max(value) FILTER (WHERE name = 'comments') AS comments
FROM lot WHERE subject = 'ticket' GROUP BY row;

-- One ticket in each of 2,000 spans of 24,444 seconds from July 2023 to the evening of 2025-01-16. Of the last hundred
-- about half are open, of the two hundred before them one in twelve, and of the others one in two hundred.
CREATE TEMP TABLE draft AS
SELECT dice.row, dice.status % 1000 AS chance, created,
       created + shortest + dice.duration % (longest - shortest) AS ended,
       CASE WHEN dice.row > 1900 THEN 480 WHEN dice.row > 1700 THEN 80 ELSE 5 END AS open_below,
       dice.comments % 4 AS comments, person.row AS person, person.name AS writer,
       CASE WHEN dice.title % 3 = 0 THEN vague.text ELSE problem.title END AS title,
       greeting.text || char(10) || coalesce(decoy.text || ' ', '') || problem.text || ' ' || detail.text
         || coalesce(' ' || aside.text, '') || char(10) || pointer.text || char(10) || closing.text AS template,
       part.text AS part, 2 + dice.count % 40 AS count, 100 + dice.detail / 6 % 900 AS number,
       own.id AS own_id, other.id AS other_id,
       -- The id of no project.
       printf('%08x-%04x-4%03x-9%03x-%04x%08x', dice.trace, dice.decoy & 65535, dice.count & 4095, dice.moment & 4095,
              dice.title & 65535, dice.duration) AS trace_id
FROM (SELECT *, unixepoch('2023-07-01') + (row - 1) * 24444 + moment % 24444 AS created FROM dice) AS dice
JOIN person ON person.row = 1 + dice.person % 120
JOIN project_id AS own ON own.row = 1 + dice.project % 300
JOIN project_id AS other ON other.row = 1 + (dice.project + 1 + dice.decoy / 100 % 299) % 300  -- never its own
JOIN category ON dice.category % 100 BETWEEN low AND high
JOIN problem ON problem.category = category.name AND problem.number = dice.problem % 7
JOIN wording AS part ON part.kind = 'part' AND part.number = dice.part % 6
JOIN wording AS vague ON vague.kind = 'title' AND vague.number = dice.title / 3 % 3
JOIN wording AS greeting ON greeting.kind = 'greeting' AND greeting.number = dice.greeting % 5
JOIN wording AS detail ON detail.kind = 'detail' AND detail.number = dice.detail % 6
LEFT JOIN wording AS aside ON aside.kind = 'aside' AND aside.number = dice.aside % 10
LEFT JOIN wording AS decoy ON decoy.kind = 'decoy' AND decoy.number = dice.decoy % 20
JOIN wording AS pointer ON pointer.kind = 'pointer' AND pointer.number = dice.pointer % 4
JOIN wording AS closing ON closing.kind = 'closing' AND closing.number = dice.closing % 4;
CREATE UNIQUE INDEX temp.draft_by_row ON draft (row);

INSERT INTO support_ticket
SELECT 3000 + row, 5000 + person, datetime(created, 'unixepoch'), status,
       CASE status WHEN 'solved' THEN datetime(ended, 'unixepoch') END, title,
       replace(replace(replace(replace(replace(replace(
         template, '{part}', part), '{count}', count), '{number}', number), '{other}', other_id), '{trace}', trace_id),
         '{project}', own_id) || char(10) || writer
FROM (SELECT *, CASE WHEN chance < open_below THEN 'open' WHEN chance >= 950 THEN 'closed' WHEN chance >= 920
                     OR ended >= unixepoch('2025-01-17') THEN 'pending' ELSE 'solved' END AS status
      FROM draft)
ORDER BY row;
CREATE INDEX support_ticket_by_status ON support_ticket (status, created_at);

-- What was said afterwards. Nothing in it changes what a ticket is about.
CREATE TABLE support_ticket_comment (
  comment_id INTEGER PRIMARY KEY,
  ticket_id INTEGER NOT NULL REFERENCES support_ticket (ticket_id),
  support_user_id INTEGER REFERENCES support_user (id),  -- none: one of our staff
  created_at TEXT NOT NULL,
  body TEXT NOT NULL
);
-- Up to three comments, by turns from us and from the customer, in equal parts of the time until the ticket was solved
-- (or two days, or today), each a few minutes late.
CREATE TEMP TABLE remark AS
SELECT ticket, place, person, text,
       created + (min(ended, created + 172800, unixepoch('2025-01-17') - 600) - created) * place / (comments + 1)
         + moment % 360 AS at
FROM draft
JOIN (SELECT (row + 2) / 3 AS ticket, 1 + (row + 2) % 3 AS place, max(value) FILTER (WHERE name = 'moment') AS moment,
             max(value) FILTER (WHERE name = 'text') AS text
      FROM lot WHERE subject = 'comment' GROUP BY row) ON ticket = draft.row AND place <= comments;
INSERT INTO support_ticket_comment
SELECT 70000 + row_number() OVER (ORDER BY at, ticket, place), 3000 + ticket,
       CASE place % 2 WHEN 0 THEN 5000 + person END, datetime(at, 'unixepoch'), wording.text
FROM remark JOIN wording ON kind = CASE place % 2 WHEN 1 THEN 'staff' ELSE 'customer' END AND number = remark.text % 5
ORDER BY at, ticket, place;
CREATE INDEX support_ticket_comment_by_ticket ON support_ticket_comment (ticket_id);

DROP TABLE temp.remark;
DROP TABLE temp.draft;
DROP TABLE temp.dice;
DROP TABLE temp.wording;
DROP TABLE temp.problem;
DROP TABLE temp.category;
DROP TABLE temp.project_id;
DROP TABLE temp.person;
DROP TABLE temp.last_name;
DROP TABLE temp.first_name;
DROP TABLE temp.lot;
DROP TABLE temp.draw;
DROP TABLE temp.seed;
COMMIT;
