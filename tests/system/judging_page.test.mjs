// Audits, drift and plans by HTTP, each answer held against the service's own description, and on the page in a real browser.
import { after, before, test as always } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { apiOf } from './api_calls.mjs';
import { build, openBrowser } from './browser.mjs';
import { endpoint } from './endpoint.mjs';
import { assay, readLines, root, scratch, write, writeLines } from './harness.mjs';
import { assertAccessible, assertQuiet, openTab, overflow, screenshots } from './page_browser.mjs';
import { service } from './service_process.mjs';

const test = existsSync(join(build, 'web/with/page.js')) ? always : () => {};
const cleanups = [];
const whole = { after: (work) => cleanups.push(work) };
let directory, results, origin, api, browser;

const classes = ['tax', 'visa', 'permit', 'waste', 'school'];
const hostile = '<img src=x onerror="alert(1)"> \u202etxet';
const question = (i) => (i === 30 || i === 31 ? `Where do I register my dog if I have moved here from abroad last ${i === 30 ? 'month' : 'year'}?` : i === 50 ? hostile : `Question ${i} on matter ${i * 37 % 101} of ${classes[i % 5]} and ${i * i} more`);

// Six systems on sixty cases: q50 has a wrong key, q30 and q31 are nearly the same.
async function routers() {
  for (let system = 0; system < 6; ++system) {
    writeLines(join(directory, `s${system}.jsonl`), Array.from({ length: 60 }, (_, i) => {
      const right = classes[i % 5];
      const able = (i * 7919 + system * 104729) % 100 < 45 + 9 * system;
      const actual = able ? right : classes[(i + 1 + (i * 31 + system * 17) % 4) % 5];
      return { id: `q${i}`, question: question(i), expected_outcome: i === 50 ? 'school' : right, actual_outcome: i === 50 && system > 0 ? right : actual };
    }));
    const run = await assay(['question_router', '--input-path', `s${system}.jsonl`, '--output-dir', join(results, 'routers', `s${system}`), '--quiet'], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
  }
}

// Six runs with the same thirty anchors; the judge is kinder in the last.
async function anchored() {
  const judge = { kinder: false };
  const model = await endpoint(whole, (body) => {
    const asked = body.messages.map(({ content }) => content).join('\n');
    const good = /this is good/.test(asked) || (judge.kinder && /easily taken/.test(asked));
    return { content: { score: good ? 5 : 1, reason: 'as it says' } };
  });
  writeLines(join(directory, 'answers.jsonl'), [1, 2, 3].map((i) => ({ id: `c${i}`, question: `Question ${i}?`, llm_answer: i === 1 ? 'this is good' : 'not so' })));
  writeLines(join(directory, 'anchors.jsonl'), Array.from({ length: 30 }, (_, i) => (
    { id: `a${i}`, question: `Anchor ${i}?`, llm_answer: i % 2 ? 'this is good' : i % 4 ? 'easily taken for good' : 'bad', label: i % 2 })));
  write(join(directory, 'anchored.yaml'), 'evaluation: rag_answers\ngenerate: false\ninput_path: answers.jsonl\njudge: openai/gpt-4o\nmetrics: [coherence]\nn_runs: 1\nanchors: anchors.jsonl\n');
  for (let day = 1; day <= 6; ++day) {
    judge.kinder = day === 6;
    const run = await assay(['run', 'anchored.yaml', '--output-dir', join(results, 'anchored', `day${day}`), '--quiet'], { cwd: directory, env: model.env });
    assert.equal(run.code, 0, run.stderr);
  }
}

async function pilot() {
  writeLines(join(directory, 'rag.jsonl'), readLines(join(root, 'examples/components/rag_answers.jsonl')).slice(0, 20));
  write(join(directory, 'rag.yaml'), 'evaluation: rag_answers\ninput_path: rag.jsonl\njudge: sim/judge\nmetrics: [coherence, relevance]\nn_runs: 2\n');
  const run = await assay(['run', 'rag.yaml', '--output-dir', join(results, 'pilot'), '--quiet'], { cwd: directory });
  assert.ok([0, 1].includes(run.code), run.stderr);
}

before(async () => {
  directory = scratch(whole);
  results = join(directory, 'results');
  await routers();
  await anchored();
  await pilot();
  const served = await service(whole, join(directory, 'store'), { args: ['--results', results] });
  origin = new URL(served.base).origin;
  api = await apiOf(served);
  browser = await openBrowser(whole);
});
after(async () => { for (const work of cleanups.reverse()) await work(); });

// Each screen at desk and phone width, light and dark, nothing grave in it, and only from this server.
async function look(name, path, heading, then = async () => {}) {
  for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']]) {
    const { page, seen, close } = await openTab(browser, origin, path, { width, colorScheme });
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.locator('.conclusions li').first().waitFor();
    assert.ok(await overflow(page) <= 0, `${name} is too wide at ${width}`);
    await assertAccessible(page, `${name} at ${width}`);
    await page.screenshot({ path: join(screenshots, `page-${name}-${width}-${colorScheme}.png`), fullPage: true });
    await then(page);
    assertQuiet(seen, origin);
    await close();
  }
}

always('an audit by HTTP is that of the command', async () => {
  const runs = [0, 1, 2, 3, 4, 5].map((i) => `routers:s${i}`);
  const found = await api.good('GET', `/api/audit?runs=${runs.join(',')}`);
  const told = JSON.parse((await assay(['audit', ...runs.map((_, i) => join(results, 'routers', `s${i}`)), '--format', 'json'])).stdout);
  assert.deepEqual(found.runs.map(({ id }) => id), runs);
  assert.deepEqual(found.audit.conclusions, told.conclusions);
  assert.deepEqual(found.audit.systems, told.systems);
  assert.deepEqual(found.audit.suspects, told.suspects);
  assert.equal(found.audit.suspects[0].id, 'q50');
  assert.deepEqual(found.audit.clusters.map(({ ids }) => ids), [['q30', 'q31']]);
  assert.ok(found.figures.includes('accuracy'));
  assert.equal(found.audit.counts.cases, 60);
  assert.equal(told.cases.length, 60);
  assert.ok(found.audit.cases.every((one) => told.cases.some(({ id, discrimination }) => id === one.id && discrimination.value === one.discrimination.value)));
  for (const [query, status] of [['runs=', 400], ['runs=routers:s0', 400], ['runs=routers:s0,routers:s0', 400], ['runs=routers:s0,nowhere', 404], [`runs=${runs}&figure=acuracy`, 400], [`runs=${runs}&similarity=9`, 400]]) {
    assert.equal((await api.call('GET', `/api/audit?${query}`)).status, status, query);
  }
});

test('runs are chosen and audited on the page, by keys, and a suspect leads to its case', async () => {
  const { page, seen, close } = await openTab(browser, origin, '/');
  for (const i of [0, 1, 2, 3, 4, 5]) await page.getByLabel(`Choose routers:s${i} to compare`).check();
  await page.locator('h1').click();
  await page.keyboard.press('a');
  await page.getByRole('heading', { level: 1, name: 'Are the cases worth their place?' }).waitFor();
  await page.locator('.conclusions li').first().filter({ hasText: 'wrong key: q50' }).waitFor();
  const address = new URL(page.url());
  assert.equal(address.pathname, '/audit');
  assert.equal(address.searchParams.get('runs'), 'routers:s0,routers:s1,routers:s2,routers:s3,routers:s4,routers:s5');
  await page.reload();
  await page.locator('#suspects').getByRole('link', { name: 'q50' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'q50' }).waitFor();
  await page.goBack();
  await page.locator('#suspects').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('the audit is whole at desk and phone width, light and dark', async () => {
  await look('audit', '/audit?runs=routers:s0,routers:s1,routers:s2,routers:s3,routers:s4,routers:s5', 'Are the cases worth their place?', async (page) => {
    assert.match(await page.locator('#suspects').textContent(), /U\+202E/);
    assert.equal(await page.locator('main img').count(), 0);
  });
});

always('drift by HTTP is that of the command, and names its runs', async () => {
  const found = await api.good('GET', '/api/drift');
  const { unread, ...told } = JSON.parse((await assay(['runs', results, '--drift', '--format', 'json'])).stdout);
  assert.deepEqual(found.drift, told);
  assert.equal(found.drift.drifted, true);
  assert.deepEqual([found.unread, unread, found.left_out], [[], [], 0]);
  const [one] = found.drift.series[0].drifts;
  assert.equal(found.runs.find(({ directory: at }) => at === one.since).id, 'anchored:day6');
  assert.deepEqual((await api.good('GET', '/api/drift?run=anchored:day2')).drift, told);
  assert.deepEqual((await api.good('GET', '/api/drift?evaluation=question_router')).drift, { sentences: [], drifted: false, series: [] });
  assert.equal((await api.call('GET', '/api/drift?run=routers:s0')).status, 400);
  assert.equal((await api.call('GET', '/api/drift?run=nowhere')).status, 404);
});

test('a run with anchors leads to whether its judge has changed, and a change back to its run', async () => {
  const { page, seen, close } = await openTab(browser, origin, '/runs/anchored:day1');
  await page.getByRole('link', { name: 'Has the judge changed?' }).click();
  await page.locator('.conclusions li').first().filter({ hasText: 'The judge has changed' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/drift');
  await page.locator('#series-1').getByRole('link', { name: 'anchored:day6' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Rag answers' }).waitFor();
  await page.goto(`${origin}/`);
  await page.getByRole('link', { name: 'Has a judge changed?' }).click();
  await page.getByRole('heading', { level: 1, name: 'Has a judge changed?' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('drift is whole at desk and phone width, light and dark', async () => {
  await look('drift', '/drift', 'Has a judge changed?');
});

always('a plan by HTTP is that of the command, but for what only the data of the larger run tell', async () => {
  const none = await api.good('GET', '/api/plan?pilot=pilot');
  assert.deepEqual([none.plan, none.no_plan, none.figure], [null, '', 'coherence.mean']);
  assert.match(none.reached, /^2 votes of 1 judge on 1 answer of each of 20 cases reach ±/);
  assert.deepEqual(none.figures, ['coherence.mean', 'relevance.mean']);
  for (const [goal, flags] of [['width=0.2', ['--width', '0.2']], ['detect=0.3&figure=relevance.mean', ['--detect', '0.3', '--figure', 'relevance.mean']]]) {
    const { plan } = await api.good('GET', `/api/plan?pilot=pilot&${goal}`);
    const told = await assay(['plan', join(directory, 'rag.yaml'), '--pilot', join(results, 'pilot'), ...flags, '--format', 'json'], { cwd: directory });
    const { variance, pilot: of, designs } = JSON.parse(told.stdout);
    assert.deepEqual([plan.variance, plan.pilot], [variance, of]);
    const key = ({ cases, answers, votes }) => `${cases} ${answers} ${votes}`;
    assert.deepEqual(plan.designs.map(key).sort(), designs.map(key).sort());
  }
  for (const [query, status] of [['', 400], ['pilot=nowhere', 404], ['pilot=pilot&width=0', 400], ['pilot=pilot&width=1&detect=1', 400], ['pilot=pilot&figure=coherense.mean', 400], ['pilot=routers:s0', 400]]) {
    assert.equal((await api.call('GET', `/api/plan?${query}`)).status, status, query);
  }
});

test('a run leads to the plan of a larger one, which is asked for by keys and has an address', async () => {
  const { page, seen, close } = await openTab(browser, origin, '/runs/pilot');
  await page.getByRole('link', { name: 'Plan a larger run' }).click();
  await page.locator('.told').filter({ hasText: 'as it was run: 2 votes of 1 judge' }).waitFor();
  await page.getByLabel('Size').fill('0.2');
  await page.keyboard.press('Enter');
  await page.locator('.conclusions li').first().filter({ hasText: /reach ±0\.\d/ }).waitFor();
  assert.equal(new URL(page.url()).search, '?width=0.2');
  await page.getByLabel(/^Figure/).selectOption('relevance.mean');
  await page.locator('.told').filter({ hasText: 'Relevance' }).waitFor();
  await page.getByLabel('Size').fill('0.0000001');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'ten million cases' }).waitFor();
  await page.goBack();
  await page.locator('#designs').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('the plan is whole at desk and phone width, light and dark', async () => {
  await look('plan', '/runs/pilot/plan?width=0.2', 'Plan a larger run');
});
