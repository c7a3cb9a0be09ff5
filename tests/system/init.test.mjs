// `assay init`: what it writes runs at once, for every evaluation, and it writes over nothing.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { parse } from 'yaml';
import { assay, binary, exists, readLines, scratch, start, write } from './harness.mjs';

const evaluations = (help) => /Evaluations.*\n((?: {2}\S.*\n)+)/.exec(help)[1].trim().split('\n').map((line) => line.trim().split(' ')[0]);

test('what it writes is checked and runs at once, and the commands that it names are right', async (t) => {
  const directory = scratch(t);
  const names = evaluations((await assay(['--help'])).stdout);
  assert.ok(names.length >= 10, names.join());
  await Promise.all(names.map(async (name) => {
    const begun = await assay(['init', name, name], { cwd: directory });
    assert.equal(begun.code, 0, begun.stderr);
    const next = begun.stdout.trim().split('\n').slice(-3).map((line) => line.trim().split(' '));
    assert.deepEqual(next.map((words) => words.slice(0, 2).join(' ')), ['assay check', 'assay run', 'assay show']);
    for (const [, ...words] of next) {
      const ended = await assay(words, { cwd: directory });
      // Some examples hold errors of the system under test on purpose.
      assert.ok(ended.code === 0 || (words[0] === 'run' && ended.code === 3), `${words.join(' ')}: ${ended.code} ${ended.stderr}`);
    }
    assert.ok(exists(join(directory, name, 'results/first/report.html')));
  }));
});

// A workflow's shell steps, run as the CI system would.
const runSteps = (directory, steps, extra = {}) => start(['-ec', steps.join('\n')], { command: '/bin/sh', cwd: directory, env: { PATH: `${join(directory, 'bin')}:${process.env.PATH}`, ...extra } }).ended;

// `gh api` on comments that are kept in a file: it prints those that --jq chooses, and notes what would be written.
const gh = `#!/bin/sh
[ "$1" = api ] && shift
case "$*" in
  *--jq*) [ "$2" = --paginate ] && jq -r "$4" comments.json ;;
  *) jq -cn --arg method "$2" --arg url "$3" --rawfile body "\${5#body=@}" '{$method, $url, $body}' >>written.jsonl ;;
esac
`;

// The notes of a merge request, as GitLab's API has them.
async function gitlab(t) {
  const asked = [];
  const notes = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${request.headers['private-token']}`);
      const body = new URLSearchParams(text).get('body');
      if (request.method === 'POST') notes.unshift({ id: notes.length + 7, body });
      if (request.method === 'PUT') notes.find(({ id }) => request.url.endsWith(`/${id}`)).body = body;
      response.end(JSON.stringify(request.method === 'GET' ? notes : {}));
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  return { asked, notes, env: { CI_API_V4_URL: `http://127.0.0.1:${server.address().port}/api/v4`, CI_PROJECT_ID: '5', CI_MERGE_REQUEST_IID: '12', ASSAY_COMMENT_TOKEN: 'glpat-x' } };
}

test('its CI files are what GitHub and GitLab read, and their steps work where the program is installed', async (t) => {
  const directory = scratch(t);
  assert.equal((await assay(['init', 'question_router'], { cwd: directory })).code, 0, 'here, where nothing else is said');
  mkdirSync(join(directory, 'bin'));
  symlinkSync(binary, join(directory, 'bin/assay'));

  const file = readFileSync(join(directory, '.github/workflows/assay.yml'), 'utf8');
  const workflow = parse(file, { strict: true });
  assert.deepEqual(Object.keys(workflow), ['name', 'on', 'permissions', 'jobs']);
  for (const step of workflow.jobs.assay.steps) assert.ok((typeof step.run === 'string') !== (typeof step.uses === 'string'), JSON.stringify(step));
  const { steps } = workflow.jobs.assay;
  const named = (name) => steps.find((step) => step.name === name).run;
  const summary = { GITHUB_STEP_SUMMARY: join(directory, 'summary.md') };
  const first = await runSteps(directory, [named('Check config and data'), named('Run'), named('Report')], summary);
  assert.equal(first.code, 0, first.stderr);
  assert.match(readFileSync(join(directory, 'results/junit.xml'), 'utf8'), /<testcase classname="question_router\.cases" name="router-001"/);
  assert.equal((await runSteps(directory, ['assay baseline set main results/ci', named('Compare with the baseline')], summary)).code, 0);
  const told = readFileSync(summary.GITHUB_STEP_SUMMARY, 'utf8');
  assert.match(told, /accuracy[\s\S]*The runs are the same on every paired case/);

  // One comment: written once, and again in its place. What others have written is not it.
  chmodSync(write(join(directory, 'bin/gh'), gh), 0o755);
  const request = { GITHUB_REPOSITORY: 'me/shop', PULL_REQUEST: '12' };
  const others = [{ id: 1, body: 'Nice.', user: { type: 'User' } }, { id: 2, body: '<!-- assay --> quoted', user: { type: 'User' } }, { id: 3, body: 'built', user: { type: 'Bot' } }];
  for (const comments of [others, [...others, { id: 4, body: '<!-- assay -->\nold', user: { type: 'Bot' } }]]) {
    write(join(directory, 'comments.json'), JSON.stringify(comments));
    const commented = await runSteps(directory, [named('Comment')], request);
    assert.equal(commented.code, 0, commented.stderr);
  }
  const written = readLines(join(directory, 'written.jsonl'));
  assert.deepEqual(written.map(({ method, url }) => `${method} ${url}`), ['POST repos/me/shop/issues/12/comments', 'PATCH repos/me/shop/issues/comments/4']);
  for (const { body } of written) assert.match(body, /^<!-- assay -->\n[\s\S]*accuracy/);

  const { assay: job } = parse(readFileSync(join(directory, '.gitlab-ci.yml'), 'utf8'));
  assert.ok([...job.before_script, ...job.script, ...job.after_script].every((line) => typeof line === 'string'));
  rmSync(join(directory, 'results'), { recursive: true });
  const second = await runSteps(directory, [...job.script, ...job.after_script]);
  assert.equal(second.code, 0, second.stderr);
  for (const name of ['report.md', 'junit.xml', 'compare.xml']) assert.ok(exists(join(directory, 'results', name)), name);

  const server = await gitlab(t);
  for (const turn of [1, 2]) assert.equal((await runSteps(directory, job.after_script, server.env)).code, 0, `${turn}`);
  const notes = '/api/v4/projects/5/merge_requests/12/notes';
  assert.deepEqual(server.asked, [`GET ${notes}?sort=desc&per_page=100 glpat-x`, `POST ${notes} glpat-x`, `GET ${notes}?sort=desc&per_page=100 glpat-x`, `PUT ${notes}/7 glpat-x`]);
  assert.match(server.notes[0].body, /^<!-- assay -->\n[\s\S]*accuracy/);

  // A worse system fails the job at the comparison, with the exit code of a regression.
  const data = readFileSync(join(directory, 'question_router.jsonl'), 'utf8');
  write(join(directory, 'question_router.jsonl'), data.replaceAll(/"actual_outcome": ?"[^"]*"/g, '"actual_outcome": "elsewhere"'));
  write(join(directory, 'question_router.yaml'), readFileSync(join(directory, 'question_router.yaml'), 'utf8').replace(/^gates:.*(\n  - .*)*/m, ''));
  rmSync(join(directory, 'results'), { recursive: true });
  const worse = await runSteps(directory, job.script);
  assert.equal(worse.code, 1, worse.stderr);
  assert.match(worse.stdout, /the new run is worse/);
});

test('nothing is written where one of its files is in the way', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, '.github/workflows'), { recursive: true });
  write(join(directory, '.github/workflows/assay.yml'), 'mine\n');
  write(join(directory, 'retrieval.jsonl'), 'mine\n');
  const refused = await assay(['init', 'retrieval', directory]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /already: \S*retrieval\.jsonl, \S*assay\.yml; move them away/);
  assert.deepEqual(readdirSync(directory).sort(), ['.github', 'retrieval.jsonl']);
  const slip = await assay(['init', 'retreival'], { cwd: directory });
  assert.equal(slip.code, 2);
  assert.match(slip.stderr, /unknown evaluation retreival; did you mean retrieval\?/);
});
