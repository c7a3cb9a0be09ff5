// The page of `assay serve` with several tabs, several runs and several people's ways: one stream for all tabs, runs held
// against each other case by case, runs of other processes, sheets with questions of one's own, filters and files, by keys.
import { after, before, test as always } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, openBrowser } from './browser.mjs';
import { askedMore, assay, ragConfig, ragLines, readJson, readLines, root, scratch, simulator, sleep, start, write, writeLines } from './harness.mjs';
import { assertAccessible, assertQuiet, openTab, overflow, screenshots } from './page_browser.mjs';
import { service } from './service_process.mjs';

const test = existsSync(join(build, 'web/with/page.js')) ? always : () => {};
const cleanups = [];
const whole = { after: (work) => cleanups.push(work) };
let directory, results, sim, origin, browser;

async function run(config, name, ...args) {
  const { code, stderr } = await assay(['run', config, '--output-dir', join(results, name), '--quiet', ...args]);
  assert.ok([0, 1].includes(code), `${name}: ${stderr}`);
}
const example = (path) => join(root, 'examples', path);
const small = (name) => run(join(directory, 'small.yaml'), name);

before(async () => {
  directory = scratch(whole);
  results = join(directory, 'results');
  mkdirSync(join(directory, 'configs'), { recursive: true });
  writeLines(join(directory, 'small.jsonl'), Array.from({ length: 20 }, (_, i) => ({ id: `q${String(i).padStart(2, '0')}`, input: `Question ${i}?`, output: i % 4 ? 'fine' : 'bad', topic: i % 2 ? 'odd' : 'even' })));
  write(join(directory, 'small.yaml'), 'evaluation: custom\nwhat: small\ninput_path: small.jsonl\nslices: [topic]\nmetrics: [{name: fine, contains: fine}]\ncase_passes: [fine]\ngates: ["fine.rate >= 0.9"]\n');
  writeLines(join(directory, 'rag.jsonl'), readLines(example('components/rag_answers.jsonl')).slice(0, 6));
  writeLines(join(directory, 'configs/data.jsonl'), ragLines(300));
  write(join(directory, 'rag.yaml'), 'evaluation: rag_answers\ninput_path: rag.jsonl\njudge: sim/judge\nmetrics: [coherence]\nn_runs: 1\nanchors: anchors.jsonl\n');
  writeLines(join(directory, 'anchors.jsonl'), ragLines(10).map((line, i) => ({ ...line, id: `anchor-${i}`, label: i % 2 })));
  write(join(directory, 'configs/watched.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}\nwhat: watched\n'));
  sim = await simulator(whole, ['--latency', '30ms']);
  await small('small');
  await Promise.all([
    ...['first', 'second', 'third'].map((name, seed) => run(example('custom/support_bot.yaml'), `bot/${name}`, '--seed', String(seed))),
    ...[1, 2].flatMap((seed) => [
      run(example('experiment/experiment.yaml'), `trial/${seed}`, '--limit', '1', '--runs', '1', '--seed', String(seed)),
      run(example('guidelines/guidelines.yaml'), `talks/${seed}`, '--limit', '2', '--seed', String(seed)),
      run(example('persona/persona_mode2.yaml'), `persona/${seed}`, '--limit', '2', '--seed', String(seed)),
    ]),
    run(join(directory, 'rag.yaml'), 'rag'),
  ]);
  const served = await service(whole, join(directory, 'store'), { args: ['--results', results, '--configs', join(directory, 'configs')], env: sim.env });
  origin = new URL(served.base).origin;
  browser = await openBrowser(whole);
});
after(async () => { for (const work of cleanups.reverse()) await work(); });

const tab = (path, options) => openTab(browser, origin, path, options);
// Tab for tab until the element that is meant has the focus.
async function tabTo(page, isThere) {
  for (let i = 0; i < 200; ++i) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(isThere)) return;
  }
  assert.fail(`no Tab leads to ${isThere}`);
}

test('eight tabs share one stream; when the one that reads it goes, another does, and all see what was missed', async () => {
  const { page: first, seen, close } = await tab('/');
  const context = first.context();
  const streams = () => seen.requests.filter((url) => url.includes('/api/events')).length;
  const tabs = [first];
  for (let i = 0; i < 7; ++i) {
    const page = await context.newPage();
    page.on('request', (request) => seen.requests.push(request.url()));
    await page.goto(origin + (i % 2 ? '/' : '/runs/small'));
    await page.getByRole('heading', { level: 1, name: i % 2 ? 'Runs' : 'Custom' }).waitFor();
    await page.getByText('small').first().waitFor();
    tabs.push(page);
  }
  assert.equal(streams(), 1);
  const lists = tabs.filter((_, i) => i % 2 === 0);
  await small('while-all-listen');
  for (const page of lists) await page.locator('.runs tr', { hasText: 'while-all-listen' }).waitFor();
  assert.equal(streams(), 1);
  await context.route('**/api/events*', (route) => route.abort());
  await first.close();
  const [next, ...others] = lists.slice(1);
  await next.getByText('Not connected to the server').waitFor();
  await small('while-nobody-listens');
  await context.unroute('**/api/events*');
  for (const page of [next, ...others]) await page.locator('.runs tr', { hasText: 'while-nobody-listens' }).waitFor();
  await close();
});

test('a tab that is hidden holds no stream, and has what it missed when it is seen again', async () => {
  const { page, seen, close } = await tab('/');
  const look = (state) => page.evaluate((now) => {
    Object.defineProperty(document, 'visibilityState', { value: now, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/events'));
  await page.locator('.runs tr', { hasText: 'small' }).first().waitFor();
  await look('hidden');
  await ended;
  await small('while-hidden');
  await look('visible');
  await page.locator('.runs tr', { hasText: 'while-hidden' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

// What a reader of two runs of each evaluation looks for, side by side.
const beside = {
  trial: { id: 'query_1', answers: 5, shows: /run 1/ },
  talks: { id: 'bank-01', answers: 5, shows: /^(applied|not applied|undetermined|skipped)/ },
  persona: { id: 'mail-4c1e07/ines/classification', answers: 4, shows: /^\w+: [1-5]/ },
};
test('experiments, conversations and personas are read side by side: answers, or verdicts with their reasons', async () => {
  const { page, seen, close } = await tab('/');
  for (const [name, { id, answers, shows }] of Object.entries(beside)) {
    await page.goto(`${origin}/compare?base=${name}:1&new=${name}:2&case=${encodeURIComponent(id)}&with=${name}:2`);
    const rows = page.locator('#side-by-side .answer-row');
    await rows.nth(answers - 1).waitFor();
    const texts = await (name === 'trial' ? rows.locator('h3') : rows.locator('.answer:first-child')).allInnerTexts();
    for (const text of texts) assert.match(text, shows, name);
    assert.ok((await rows.locator('.answer').allInnerTexts()).every((text) => text.length > 10), name);
    assert.ok(await overflow(page) <= 0);
    await page.screenshot({ path: join(screenshots, `page-beside-${name}-1280-light.png`), fullPage: true });
  }
  assertQuiet(seen, origin);
  await close();
});

test('three runs are chosen and compared by keys alone, and a case is looked at in each comparison', async () => {
  const { page, seen, close } = await tab('/?search=bot');
  await page.getByRole('checkbox', { name: 'bot:third' }).waitFor();
  for (const name of ['first', 'second', 'third']) {
    await page.getByRole('checkbox', { name: `bot:${name}` }).focus();
    await page.keyboard.press('Space');
  }
  await page.getByRole('button', { name: 'Compare 3 runs' }).waitFor();
  await page.keyboard.press('c');
  for (const name of ['second', 'third']) {
    const comparison = page.getByRole('article', { name: `Against bot:${name}` });
    await comparison.locator('.case-list button').first().focus();
    await page.keyboard.press('Enter');
    await comparison.getByRole('heading', { name: 'Side by side' }).waitFor();
    assert.ok(await comparison.locator('.case-list button').first().evaluate((button) => button === document.activeElement), 'the reader stays at the case');
    assert.equal(await page.getByRole('heading', { name: 'Side by side' }).count(), 1);
  }
  assert.match(new URL(page.url()).search, /base=bot%3Afirst&new=bot%3Asecond%2Cbot%3Athird&case=.+&with=bot%3Athird/);
  assertQuiet(seen, origin);
  await close();
});

test('cases that got worse are named and counted, however many more got better', async () => {
  // The server lists the 200 scores that changed most: 210 gains of 1 leave no place among them for 70 losses of 1.
  for (const [name, isRight] of [['base', (i) => i >= 210], ['new', (i) => i < 210 || i >= 280]]) {
    const rows = Array.from({ length: 300 }, (_, i) => ({ id: `q${String(i).padStart(3, '0')}`, question: `Question ${i}?`, expected_outcome: 'a', actual_outcome: isRight(i) ? 'a' : 'b' }));
    writeLines(join(directory, `${name}.jsonl`), rows);
    const { code, stderr } = await assay(['question_router', '--input-path', `${name}.jsonl`, '--output-dir', join(results, 'shift', name), '--quiet'], { cwd: directory });
    assert.equal(code, 0, stderr);
  }
  const { page, seen, close } = await tab('/compare?base=shift:base&new=shift:new');
  const worst = page.getByRole('heading', { name: 'Worst regressions' }).locator('xpath=following-sibling::ul[1]');
  await worst.locator('li').nth(11).waitFor();
  assert.match(await worst.innerText(), /^q210\s+accuracy\s+1\.000 → 0\.000/);
  await page.getByText('58 further scores that are worse').waitFor();
  await page.getByText('210 other scores changed, better or neither').click();
  await page.getByText('10 more are not listed here.').waitFor();
  await page.getByText('58 further scores that are worse').click();
  await page.getByRole('button', { name: 'q250' }).click();
  await page.getByRole('heading', { name: 'Side by side' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'q250' }).isVisible(), 'the list stays open');
  assertQuiet(seen, origin);
  await close();
});

test('whose run it is, is said in the place of a button that cannot work', async () => {
  const elsewhere = start(['run', join(directory, 'configs/watched.yaml'), '--output-dir', join(results, 'elsewhere'), '--quiet'], { env: sim.env });
  await askedMore(sim, 10, elsewhere);
  const { page, close } = await tab('/runs/elsewhere');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stop it where it was started').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0);
  elsewhere.child.kill('SIGKILL');
  await elsewhere.ended;
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('link', { name: 'Judge it yourself' }).click();
  await page.locator('#offers').getByText('not finished yet').waitFor();
  await page.goBack();
  // As `assay view` answers: it shows runs, and starts none.
  await page.route('**/api/about', async (route) => {
    const about = await (await route.fetch()).json();
    await route.fulfill({ json: { ...about, starts: false } });
  });
  await page.reload();
  await page.locator('.outcome', { hasText: 'unfinished' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resume' }).count(), 0);
  await close();
});

test('a judged figure is offered as one, and a question of one’s own with yes or no, a scale or classes, by keys alone', async () => {
  const { page, seen, close } = await tab('/runs/bot:first/judge');
  const judged = page.locator('form.offer', { hasText: 'Correct · rate · old' });
  await judged.getByText('Yes or no, of what the judge has scored').waitFor();
  assert.doesNotMatch(await judged.innerText(), /your own/);
  assert.match(await judged.getByLabel('Question').getAttribute('placeholder'), /^Gives the same period, sum and place/);
  const own = page.locator('form.offer', { hasText: 'of your own about old' });
  await own.getByLabel('Question').focus();
  await page.keyboard.type('How polite is it?');
  await page.keyboard.press('Tab');
  await page.keyboard.type('a rating');
  await own.getByLabel('to', { exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('3');
  await page.keyboard.press('Tab');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sheets\//);
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  await page.getByText('How polite is it?').waitFor();
  assert.deepEqual(await page.locator('.choices button').allInnerTexts(), ['1\n1', '2\n2', '3\n3']);
  await page.keyboard.press('3');
  await page.getByText('1 of 2 done').waitFor();
  await page.goto(`${origin}/runs/bot:first/judge`);
  await own.getByLabel('Question').fill('What does it do?');
  await own.getByLabel('Answered by').selectOption('label');
  await own.getByLabel('Classes, one a line').fill(`asks back\nhelps\n${'x'.repeat(190)}`);
  await assertAccessible(page, 'offers');
  await page.screenshot({ path: join(screenshots, 'page-own-question-1280-light.png'), fullPage: true });
  await own.getByRole('button', { name: 'Make the sheet' }).click();
  await page.locator('.choices button', { hasText: 'asks back' }).waitFor();
  assert.ok(await overflow(page) <= 0, 'a long class is broken into lines');
  assertQuiet(seen, origin);
  await close();
});

test('a task and what its answers say are whole on a phone in the dark; that the judge is simulated is said', async () => {
  const sheet = await (await fetch(`${origin}/api/runs/rag/sheets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ kind: 'rating', figure: 'coherence.mean', count: 3 }) })).json();
  const { page, seen, close } = await tab(`/sheets/${sheet.id}`, { width: 390, colorScheme: 'dark' });
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  await page.locator('.choices').waitFor();
  for (const name of ['task', 'agreement']) {
    assert.ok(await overflow(page) <= 0, `${name} is too wide`);
    await assertAccessible(page, `${name} at 390`);
    await page.screenshot({ path: join(screenshots, `page-${name}-390-dark.png`), fullPage: true });
    if (name === 'agreement') break;
    for (const done of [1, 2, 3]) {
      await page.keyboard.press('4');
      await page.getByText(done < 3 ? `${done} of 3 done` : 'All done').waitFor();
    }
    await page.getByRole('button', { name: 'See what the answers say' }).click();
    await page.locator('.banner', { hasText: 'sim/judge' }).waitFor();
    // The figure goes from 0 to 1, whatever scale people rate on.
    assert.match(await page.locator('#corrected .figure').first().innerText(), /\n0\n\s*1\n/);
  }
  assertQuiet(seen, origin);
  await close();
});

test('that a judge is simulated is said where one asks whether it has changed', async () => {
  const { page, seen, close } = await tab('/drift');
  await page.locator('.banner', { hasText: 'sim/judge' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('a sheet of a run that has gone is not listed as one of the run in its place', async () => {
  const at = join(results, 'again');
  await small('again');
  const made = await fetch(`${origin}/api/runs/again/sheets`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ kind: 'rubric', question: 'Is it so?', count: 2 }) });
  assert.equal(made.status, 201, await made.text());
  const { page, close } = await tab('/runs/again/judge');
  await page.locator('#sheets').getByText('Is it so?').waitFor();
  rmSync(at, { recursive: true });
  await sleep(1000);  // runs and sheets have their times in seconds
  await small('again');
  await page.reload();
  await page.locator('#earlier').getByText('Is it so?').waitFor();
  await page.locator('#sheets').getByText('None was made yet.').waitFor();
  await close();
});

test('cases are narrowed by outcome, by slice and to those that failed, and the files of a run are saved', async () => {
  const { page, seen, close } = await tab('/runs/small');
  const outcome = page.locator('label', { hasText: /^Outcome/ }).locator('select');
  await outcome.selectOption({ label: 'not passed (5)' });
  await page.getByText('5 of 20 cases').waitFor();
  await page.getByLabel('Slice').selectOption('topic:odd');
  await page.getByText('0 of 20 cases').waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText(/^20 cases;/).waitFor();
  await page.getByLabel('Slice').selectOption('topic:odd');
  await page.getByText('10 of 20 cases').waitFor();
  await page.getByLabel('Slice').selectOption('');
  await page.getByLabel('failed or not passed').check();
  await page.getByText('5 of 20 cases').waitFor();
  assert.equal(new URL(page.url()).search, '?failed=true');
  await page.getByText('All files of the run').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'summary.json' }).click()]);
  assert.deepEqual(readJson(await download.path()), readJson(join(results, 'small/summary.json')));
  assertQuiet(seen, origin);
  await close();
});

test('an address behind the last page leads to it, and one of no case says so without a word for the shell', async () => {
  const { page, close } = await tab('/runs/small/read?from=500');
  await page.getByText('13 to 20 of 20 cases').waitFor();
  assert.equal(new URL(page.url()).search, '?from=12');
  await page.goto(`${origin}/runs/small/case?id=nobody`);
  const told = page.getByRole('alert');
  await told.filter({ hasText: 'This run has no such case' }).waitFor();
  assert.doesNotMatch(await told.innerText(), /assay |\//);
  await close();
});

test('runs are sorted by their models, and by how many of their gates failed', async () => {
  const { page, seen, close } = await tab('/');
  await page.getByRole('button', { name: 'models' }).click();
  await page.waitForFunction(() => location.search === '?sort=models&descending=true');
  await page.getByRole('columnheader', { name: 'models' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await page.locator('.runs tbody tr').first().filter({ hasText: 'sim/' }).waitFor();
  await page.getByRole('button', { name: 'gates' }).click();
  await page.locator('.runs tbody tr').first().filter({ hasText: '1 of 1 failed' }).waitFor();
  await page.getByRole('button', { name: 'gates' }).click();
  await page.locator('.runs tbody tr').first().filter({ hasText: 'none' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('a run is chosen, changed, checked and started by keys alone', async () => {
  const { page, seen, close } = await tab('/');
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
  await page.getByLabel('Config').waitFor();
  await tabTo(page, () => document.activeElement.matches('select'));
  await page.keyboard.type('watched');
  await page.getByLabel('what').waitFor();
  await tabTo(page, () => document.activeElement.id === 'key-what');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('by keys');
  await tabTo(page, () => document.activeElement.textContent === 'Check');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check: it can run' }).waitFor();
  await tabTo(page, () => document.activeElement.textContent === 'Start the run');
  await page.keyboard.press('Enter');
  await page.locator('.what', { hasText: 'by keys' }).waitFor();
  await tabTo(page, () => document.activeElement.textContent === 'Stop');
  await page.keyboard.press('Enter');
  await page.locator('.outcome', { hasText: 'unfinished' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});
