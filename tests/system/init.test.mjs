// `assay init`: what it writes runs at once, for every evaluation, and it writes over nothing.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { assay, binary, cleanEnvironment, exists, scratch, write } from './harness.mjs';

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

test('the commands of its CI files work where the program is installed', async (t) => {
  const directory = scratch(t);
  assert.equal((await assay(['init', 'question_router'], { cwd: directory })).code, 0, 'here, where nothing else is said');
  const script = readFileSync(join(directory, '.gitlab-ci.yml'), 'utf8').split('\n')
    .map((line) => /^ {4}- (assay .*)$/.exec(line)?.[1]).filter(Boolean);
  assert.equal(script.length, 4);
  mkdirSync(join(directory, 'bin'));
  symlinkSync(binary, join(directory, 'bin/assay'));
  execFileSync('/bin/sh', ['-ec', script.join('\n')], { cwd: directory, env: cleanEnvironment({ PATH: `${join(directory, 'bin')}:${process.env.PATH}` }) });
  assert.match(readFileSync(join(directory, 'results/junit.xml'), 'utf8'), /<testsuites?/);
  const workflow = readFileSync(join(directory, '.github/workflows/assay.yml'), 'utf8');
  for (const line of script.filter((one) => !one.includes('--format md'))) assert.ok(workflow.includes(line), line);
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
