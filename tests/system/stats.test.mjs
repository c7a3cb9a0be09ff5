// `assay stats`: each question asked of a real file, and the page that explains them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { assay, root, scratch, write, writeLines } from './harness.mjs';

const near = (found, expected, tolerance) => assert.ok(Math.abs(found - expected) <= tolerance, `${found}, expected ${expected}`);
const stats = (directory, ...args) => assay(['stats', ...args], { cwd: directory });
const json = async (directory, ...args) => {
  const run = await stats(directory, ...args, '--format', 'json');
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
};
const reference = (name) => JSON.parse(readFileSync(join(root, 'tests/stats/reference', name), 'utf8'));

test('icc: the table of Shrout and Fleiss 1979', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'ratings.csv'), 'a,b,c,d\n9,2,5,8\n6,1,3,2\n8,4,6,8\n7,1,2,6\n10,5,6,9\n6,2,4,7\n');
  const found = await json(directory, 'icc', 'ratings.csv', '--raters', 'a,b,c,d');
  for (const [name, value] of Object.entries({ icc_1_1: 0.1657, icc_2_1: 0.2898, icc_3_1: 0.7148, icc_1_k: 0.4428, icc_2_k: 0.6201, icc_3_k: 0.9093 })) {
    near(found[name].value, value, 5e-5);
    assert.ok(found[name].ci[0] < value && value < found[name].ci[1]);
    assert.equal(found[name].n, 6);
  }
  assert.match((await stats(directory, 'icc', 'ratings.csv', '--raters', 'a,b,c,d')).stdout, /icc_2_1 +0\.290 .*strictness counts/);
});

test('kendall-w: as Friedman\'s test in R has it', async (t) => {
  const directory = scratch(t);
  const [table] = reference('agreement.json').intraclass;
  const raters = table.ranks[0].map((_, i) => `r${i}`).join(',');
  write(join(directory, 'ranks.csv'), [raters, ...table.ranks.map((row) => row.join(','))].join('\n'));
  const found = await json(directory, 'kendall-w', 'ranks.csv', '--raters', raters);
  near(found.kendall_w.value, table.kendall_w, 1e-12);
  near(found.test.chi_squared, table.chi_squared, 1e-9);
  near(found.test.p, table.p, 1e-10);
});

test('label-sets: lists in JSON Lines and in CSV give the alpha of the definition', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'tags.jsonl'), [{ by: { x: ['a'], y: ['a'] } }, { by: { x: ['a'], y: ['a', 'b'] } }, { by: { x: ['b'], y: ['b'] } }, { by: { x: [] } }]);
  write(join(directory, 'tags.csv'), 'x,y\na,a\na,a/b\nb,b\n[],\n');
  const lines = await json(directory, 'label-sets', 'tags.jsonl', '--raters', 'by.x,by.y');
  const cells = await json(directory, 'label-sets', 'tags.csv', '--raters', 'x,y', '--separator', '/');
  assert.deepEqual(lines, cells);
  near(lines.alpha_jaccard.value, 1 - 30 / 102, 1e-12);
  near(lines.alpha_masi.value, 1 - 10 / 28, 1e-12);
  assert.deepEqual([lines.units, lines.alpha_masi.n, lines.alpha_masi.missing.ratings_absent], [4, 3, 1]);
});

test('alt-test: the published values of wax', async (t) => {
  const directory = scratch(t);
  const { wax } = reference('alt_test_published.json');
  const columns = { ...Object.fromEntries(Object.values(wax.humans).map((text, i) => [`h${i}`, text])), judge: wax.judges['gpt-4o'] };
  const lines = [...columns.judge].map((_, unit) => Object.fromEntries(Object.entries(columns).map(([name, text]) => [name, text[unit] === '.' ? null : text[unit]])));
  writeLines(join(directory, 'wax.jsonl'), lines);
  const humans = Object.keys(columns).filter((name) => name !== 'judge').join(',');
  const found = await json(directory, 'alt-test', 'wax.jsonl', '--humans', humans, '--judge', 'judge', '--epsilon', '0.1');
  assert.deepEqual([found.winning_rate.value, found.winning_rate.n, found.passed], [0.5, 8, true]);
  near(found.advantage.value, 0.73, 5e-5);
  const strict = await json(directory, 'alt-test', 'wax.jsonl', '--humans', humans, '--judge', 'judge', '--fewest-units', '1000');
  assert.deepEqual([strict.passed, strict.winning_rate.value], [null, null], 'no verdict is neither true nor false');
});

test('pass-at-k: ten runs, seven passes', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'runs.jsonl'), Array.from({ length: 10 }, (_, i) => ({ task: 't', passed: i < 7 })));
  const found = await json(directory, 'pass-at-k', 'runs.jsonl', '--task', 'task', '--passed', 'passed', '--k', '3,11');
  near(found.pass_at_k[3].value, 0.991667, 5e-7);
  near(found.pass_hat_k[3].value, 0.291667, 5e-7);
  assert.equal(found.pass_at_k[3].ci, null, 'one task says nothing of others');
  assert.deepEqual([found.pass_at_k[11].value, found.pass_at_k[11].undefined], [null, 'no task has 11 runs']);
});

test('sequence: the published boundary, and limits that do not hold', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'stream.csv'), ['v', ...Array.from({ length: 100 }, (_, i) => (i % 2 ? -0.5 : 0.5))].join('\n'));
  const found = await json(directory, 'sequence', 'stream.csv', '--value', 'v', '--quantiles', '0.5');
  near(found.mean.ci[1], 0.3035209 / 2, 5e-8);
  assert.deepEqual(found.looks.map(({ n }) => n), [1, 2, 5, 10, 20, 50, 100]);
  assert.equal(found.looks[0].mean.ci, null);
  assert.equal(found.quantiles['0.5'].value, -0.5);
  const run = await stats(directory, 'sequence', 'stream.csv', '--value', 'v', '--low', '0', '--high', '1');
  assert.equal(run.code, 2);
  assert.match(run.stderr, /stream\.csv: line 3: column v: found -0\.5, expected a number from 0 to 1/);
});

test('a flag of another question is an error that names it, and nothing is answered', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'r.csv'), 'a,b\n1,2\n2,2\n');
  const run = await stats(directory, 'r.csv', '--raters', 'a,b', '--delta', '0.1', '--task', 'a');
  assert.deepEqual([run.code, run.stdout], [2, '']);
  assert.equal(run.stderr, 'error: --delta belongs to power, not to raters; assay stats raters --help lists what does\n'
    + '--task belongs to pass-at-k, not to raters; assay stats raters --help lists what does\n');
});

test('more groups than can be compared with each other are refused, and one control is compared with all', async (t) => {
  const path = join(scratch(t), 'groups.csv');
  write(path, 'group,score\n' + Array.from({ length: 6000 }, (_, i) => `g${i % 3000},${i % 7}`).join('\n') + '\n');
  const all = await assay(['stats', path, '--value', 'score', '--group', 'group']);
  assert.equal(all.code, 2);
  assert.match(all.stderr, /3000 groups of column group make 4498500 comparisons, and at most 20000 are made.*--control/);
  const one = await assay(['stats', path, '--value', 'score', '--group', 'group', '--control', 'g0', '--format', 'json']);
  assert.equal(one.code, 0, one.stderr);
  assert.equal(JSON.parse(one.stdout).tests.length, 2999);
});

test('every problem of a table is told at once, with file, line and column', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'r.csv'), 'a,b\n1,x\ny,2\n');
  const run = await stats(directory, 'icc', 'r.csv', '--raters', 'a,b,c');
  assert.equal(run.code, 2);
  assert.equal(run.stderr, 'error: r.csv: there is no column c; there are a, b\nline 2, b: found "x", expected a number\nline 3, a: found "y", expected a number\n');
});

test('help: of all questions, and of one', async () => {
  const all = (await assay(['help', 'stats'])).stdout;
  assert.equal((await assay(['stats', '--help'])).stdout, all);
  for (const name of ['groups', 'raters', 'icc', 'kendall-w', 'label-sets', 'alt-test', 'winners', 'pass-at-k', 'sequence', 'power']) {
    const one = (await assay(['stats', name, '--help'])).stdout;
    assert.ok(one.startsWith(`${name}: `) && all.includes(one), name);
    assert.equal((await assay(['help', 'stats', name])).stdout, one);
  }
});

// docs/stats.md: "`NAME`:" above a block is a file; a block of text below commands is what the first of them prints.
test('the examples of the page are what the program says', async (t) => {
  const directory = scratch(t);
  const page = readFileSync(join(root, 'docs/stats.md'), 'utf8');
  const questions = new Set();
  let printed = null;
  for (const [, name, language, body] of page.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (name) {
      write(join(directory, name), body);
    } else if (language === 'sh') {
      const runs = [];
      for (const command of body.trim().split('\n')) {
        const [program, ...args] = command.replace(/#.*/, '').trim().split(/\s+/);
        assert.equal(program, 'assay');
        const run = await assay(args, { cwd: directory });
        assert.equal(run.code, 0, `${command}\n${run.stderr}`);
        runs.push(run.stdout);
        questions.add(args[1].includes('.') ? command.match(/--(value|raters|winner)/)[1] : args[1]);
      }
      [printed] = runs;
    } else if (language === 'text') {
      assert.equal(body, printed);
    }
  }
  assert.deepEqual([...questions].sort(), ['alt-test', 'icc', 'kendall-w', 'label-sets', 'pass-at-k', 'power', 'raters', 'sequence', 'value', 'winner']);
  const reference_ = (await assay(['help', 'stats', '--reference'])).stdout;
  assert.ok(page.endsWith(`\n\n${reference_}`), 'docs/stats.md ends with what assay help stats --reference prints');
});
