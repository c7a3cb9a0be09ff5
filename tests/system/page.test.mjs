// The page of `assay serve` in a real browser, against a real service over real runs: every screen, by keys alone, with
// hostile texts, at desk and phone width, light and dark, and while runs are under way.
import { after, before, test as always } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build, openBrowser } from './browser.mjs';
import { assay, copiedExamples, ragConfig, ragLines, readJson, readLines, root, scratch, simulator, start, write, writeLines, askedMore } from './harness.mjs';
import { assertAccessible, assertQuiet, openTab, overflow, screenshots } from './page_browser.mjs';
import { items, job, service } from './service_process.mjs';

// A program that was built without npm says so in the page's place, and is held to that instead.
const hasPage = existsSync(join(build, 'web/with/page.js'));
const test = hasPage ? always : () => {};

const cleanups = [];
const whole = { after: (work) => cleanups.push(work) };  // for what lives as long as this file
let directory, results, sim, origin, browser, token;

const hostileId = 'a/../<script>alert(1)</script>\u202e?&#x';
const hostileText = '<img src=x onerror="alert(2)"> javascript:alert(3) \u001b[31mred\u001b[0m \u202egnp.exe [link](javascript:alert(4))';
// Answers that are in the data, judged by rules: the texts come back in ids, outputs and reasons.
const hostileRun = () => {
  writeLines(join(directory, 'hostile.jsonl'), [
    { id: hostileId, input: hostileText, output: hostileText, trace: [{ tool: '<b>tool</b>', arguments: { q: hostileText }, result: hostileText }] },
    ...Array.from({ length: 30 }, (_, i) => ({ id: `plain-${String(i).padStart(2, '0')}`, input: `Question ${i}?`, output: i % 3 ? `fine ${i}` : `bad ${i}` })),
  ]);
  return write(join(directory, 'hostile.yaml'), `evaluation: custom
what: "hostile <script>alert(5)</script> \\u202e texts"
input_path: hostile.jsonl
metrics:
  - {name: fine, contains: fine}
  - {name: long, not_contains: plain}
case_passes: [fine]
`);
};

async function run(config, name, ...args) {
  const { code, stderr } = await assay(['run', config, '--output-dir', join(results, name), '--quiet', ...args]);
  assert.ok([0, 1].includes(code), `${name}: ${stderr}`);
}

before(async () => {
  directory = scratch(whole);
  results = join(directory, 'results');
  mkdirSync(join(directory, 'configs'), { recursive: true });
  await Promise.all([
    run(join(root, 'examples/custom/support_bot.yaml'), 'bot/first'),
    run(join(root, 'examples/custom/support_bot.yaml'), 'bot/second', '--seed', '7'),
    run(join(root, 'examples/components/question_router.yaml'), 'router'),
    run(hostileRun(), 'hostile'),
    run(join(root, 'examples/guidelines/guidelines.yaml'), 'talks', '--limit', '6'),
    run(join(copiedExamples(directory), 'benchmark/benchmark.yaml'), 'agents', '--limit', '6'),
    run(join(root, 'examples/experiment/experiment.yaml'), 'trial', '--limit', '2', '--runs', '2'),
  ]);
  writeLines(join(directory, 'rag.jsonl'), readLines(join(root, 'examples/components/rag_answers.jsonl')).slice(0, 4));
  await run(write(join(directory, 'rag.yaml'), 'evaluation: rag_answers\ninput_path: rag.jsonl\njudge: sim/judge\nmetrics: [coherence, faithfulness, relevance]\nn_runs: 1\n'), 'rag');
  writeLines(join(directory, 'configs/data.jsonl'), ragLines(300));
  sim = await simulator(whole, ['--latency', '30ms']);
  writeFileSync(join(directory, 'configs/watched.yaml'), ragConfig('data.jsonl', 'limits: {concurrency: 2}\nwhat: watched\n'));
  token = /assay_\S+/.exec((await assay(['serve', '--tokens', join(directory, 'tokens'), '--new-token', 'kim'])).stdout)[0];
  writeFileSync(join(directory, 'tokens'), readFileSync(join(directory, 'tokens'), 'utf8').trim() + ' run\n');
  const served = await service(whole, join(directory, 'store'), { args: ['--results', results, '--configs', join(directory, 'configs'), '--tokens', join(directory, 'tokens')], env: sim.env });
  origin = new URL(served.base).origin;
  const recorded = await served.post('/record-evaluation-items', { items: items(5) }, { authorization: `Bearer ${token}` });
  assert.equal(recorded.status, 201, recorded.text);
  const judged = await served.post('/process-evals/mode1', job({ model: 'sim/judge' }), { authorization: `Bearer ${token}` });
  assert.equal(judged.status, 200, judged.text);
  browser = await openBrowser(whole);
});
after(async () => { for (const work of cleanups.reverse()) await work(); });

always('the page, or that there is none, is served without a token, under a closed policy', async () => {
  const answer = await fetch(`${origin}/runs/any`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.match(await answer.text(), hasPage ? /\/assets\/page\.js/ : /built without its page/);
  // An address that a person has mistyped has the page as well; a program is told that there is nothing.
  const mistyped = await fetch(`${origin}/rnus`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  assert.deepEqual([mistyped.status, mistyped.headers.get('content-type')], [404, answer.headers.get('content-type')]);
  for (const path of ['/rnus', '/favicon.ico']) {
    const nothing = await fetch(origin + path, { headers: { accept: 'application/json' } });
    assert.equal(nothing.status, 404);
    assert.match((await nothing.json()).message, /nothing here/);
  }
  assert.equal((await fetch(`${origin}/api/rnus`, { headers: { accept: 'text/html' } })).status, 401);
});

const tab = (path, options = {}) => openTab(browser, origin, path, { token, ...options });
const settled = (page) => page.waitForFunction(() => !document.body.textContent.includes('Loading…') && document.querySelector('h1'));

test('without a token the page shows no data, a wrong one is refused, a right one is kept for the session', async () => {
  const { page, seen, close } = await openTab(browser, origin, '/runs/hostile');
  await page.getByLabel('Token').waitFor();
  assert.doesNotMatch(await page.content(), /hostile/);
  await page.getByLabel('Token').fill('assay_wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Custom' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Custom' }).waitFor();
  assert.deepEqual(seen.complaints.filter((words) => !/401/.test(words)), []);
  assertQuiet({ complaints: [], requests: seen.requests }, origin);
  assert.ok(seen.requests.every((url) => !url.includes(token)), 'the token is in no address');
  await close();
});

test('every screen is whole at desk and phone width, light and dark, and axe finds nothing grave', async () => {
  const runId = encodeURIComponent('bot:first');
  const screens = {
    runs: ['/', 'Runs'],
    run: [`/runs/${runId}`, 'Custom'],
    router: ['/runs/router', 'Question router'],
    case: [`/runs/${runId}/case?id=r1`, 'r1'],
    judges: ['/runs/rag/case?id=rag-01', 'rag-01'],
    side: [`/runs/${runId}/read`, 'Side by side'],
    talks: ['/runs/talks/read', 'Conversations'],
    agents: ['/runs/agents/read', 'Transcripts'],
    compare: [`/compare?base=${runId}&new=bot:second&case=r1&with=bot:second`, 'Compare'],
    judge: [`/runs/${runId}/judge`, 'Judge it yourself'],
    new: ['/new?config=watched.yaml', 'New run'],
    data: ['/store', 'Data'],
    verdicts: ['/store/verdicts?itemId=item-0001', 'Data'],
  };
  // What each evaluation's readers look for.
  const readings = { side: '.reading .answer ins', talks: '.judged-turn .segment', agents: '.reading .answers .answer:nth-child(3) .transcript' };
  for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']]) {
    const { page, seen, close } = await tab('/', { width, colorScheme });
    for (const [name, [path, heading]] of Object.entries(screens)) {
      await page.goto(origin + path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await settled(page);
      if (name === 'case') await page.locator('details.effect').first().locator('summary').click();
      if (readings[name]) await page.locator(readings[name]).last().waitFor();
      if (name === 'run') await page.locator('.plot svg').first().waitFor();
      assert.ok(await overflow(page) <= 0, `${name} is too wide at ${width}`);
      await assertAccessible(page, `${name} at ${width}`);
      await page.screenshot({ path: join(screenshots, `page-${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    assertQuiet(seen, origin);
    await close();
  }
});

// Where the page has come to rest: it scrolls smoothly.
const restingPlace = (page) => page.evaluate(() => new Promise((rests) => {
  let last;
  const look = () => {
    if (scrollY === last) return rests(Math.round(scrollY));
    last = scrollY;
    return setTimeout(look, 200);
  };
  look();
}));

test('by keys alone: from the runs to a case, to its neighbours, back to the table as it was', async () => {
  const { page, seen, close } = await tab('/');
  await page.getByRole('link', { name: 'Custom' }).first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('hostile');
  await page.waitForFunction(() => location.search === '?search=hostile' && document.querySelectorAll('.runs tbody tr').length === 1);
  await page.getByRole('link', { name: 'Custom' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Cases' }).waitFor();
  for (let i = 0; i < 12; ++i) await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.waitForFunction(() => document.activeElement?.dataset.row === '11');
  const scrolled = await restingPlace(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'plain-10' }).waitFor();
  await page.getByText('12 of 31').waitFor();
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 1, name: 'plain-11' }).waitFor();
  await page.getByText('13 of 31').waitFor();
  await page.keyboard.press('k');
  await page.getByRole('heading', { level: 1, name: 'plain-10' }).waitFor();
  await page.keyboard.press('b');
  await page.locator('.virtual [data-row="11"][aria-current]').waitFor();
  assert.ok(Math.abs(await restingPlace(page) - scrolled) < 10, 'the page stands where it stood');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.goto(origin + '/');
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
  assertQuiet(seen, origin);
  await close();
});

test('the address holds filter and sort of the cases, and opens on them', async () => {
  const { page, seen, close } = await tab('/runs/hostile');
  await page.locator('label', { hasText: /^Score/ }).locator('select').selectOption('fine.rate');
  // Letter by letter: the field stays the reader's while the table follows.
  await page.getByLabel('at most').pressSequentially('0.5');
  await page.waitForFunction(() => location.search.includes('metric=fine.rate&below=0.5'));
  await page.getByText('11 of 31 cases').waitFor();
  await page.getByLabel('Search').fill('bad 1');
  await page.getByText('3 of 31 cases').waitFor();  // 12, 15, 18
  await page.getByLabel('Sort by').selectOption('id');
  await page.getByLabel('largest first').check();
  await page.locator('.virtual [data-row="0"]', { hasText: 'plain-18' }).waitFor();
  await page.reload();
  await page.locator('.virtual [data-row="0"]', { hasText: 'plain-18' }).waitFor();
  assert.equal(await page.locator('.virtual [data-row]').count(), 3);
  await page.goBack();
  await page.waitForFunction(() => !location.search.includes('descending'));
  await page.locator('.virtual [data-row="0"]', { hasText: 'plain-12' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('hostile texts are text everywhere, and what would move or hide it is shown as code points', async () => {
  const { page, seen, close } = await tab('/runs/hostile');
  await page.locator('.what', { hasText: '<script>alert(5)</script>' }).waitFor();
  await page.getByLabel('Search').fill('onerror');
  await page.getByRole('link', { name: '<script>alert(1)' }).first().click();
  await page.getByRole('heading', { level: 1 }).getByText('<script>alert(1)</script>').waitFor();
  await page.getByText('Timeline').waitFor();
  for (const summary of await page.locator('summary').all()) await summary.click();
  const text = await page.locator('main').innerText();
  assert.match(text, /<img src=x onerror="alert\(2\)"> javascript:alert\(3\) U\+001B\[31mred/);
  assert.match(text, /U\+202E/);
  assert.doesNotMatch(text, /[\u001b\u202e]/);
  assert.equal(await page.locator('main img, main script, main iframe, a[href^="javascript"]').count(), 0);
  await page.screenshot({ path: join(screenshots, 'page-hostile.png'), fullPage: true });
  assertQuiet(seen, origin);
  await close();
});

test('plots are drawn under the closed policy, saved as files, and have their data as tables', async () => {
  const { page, seen, close } = await tab('/runs/router');
  const figure = page.locator('figure.plot').first();
  await figure.locator('.canvas svg .role-mark path').first().waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), figure.getByRole('button', { name: 'SVG' }).click()]);
  assert.match(download.suggestedFilename(), /\.svg$/);
  await figure.getByText('Open the data').click();
  await figure.locator('tbody tr').first().waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('two runs are compared: sentences, intervals around 0, a case side by side with its differences marked', async () => {
  const { page, seen, close } = await tab('/?search=bot');
  for (const name of ['first', 'second']) await page.getByRole('checkbox', { name: `bot:${name}` }).check();
  await page.keyboard.press('c');
  await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor();
  await page.getByText('seed: ').waitFor();
  assert.ok(await page.locator('.comparison .bar .reference').count() > 3);
  await page.locator('.case-list button').first().click();
  await page.getByRole('heading', { name: 'Side by side' }).waitFor();
  await page.locator('#side-by-side ins').first().waitFor();
  assert.match(page.url(), /case=/);
  assertQuiet(seen, origin);
  await close();
});

test('a hundred thousand cases stay a few rows of the document, and the last is one key away', async () => {
  const lines = readLines(join(root, 'examples/components/question_router.jsonl'));
  writeLines(join(directory, 'many.jsonl'), Array.from({ length: 100_000 }, (_, i) => ({ ...lines[i % lines.length], id: `case-${String(i).padStart(6, '0')}` })));
  await run(write(join(directory, 'many.yaml'), 'evaluation: question_router\ngenerate: false\ninput_path: many.jsonl\n'), 'many');
  const { page, seen, close } = await tab('/runs/many');
  await page.getByText('100,000 cases').first().waitFor();
  await page.locator('.virtual [data-row="0"]').focus();
  await page.keyboard.press('End');
  await page.locator('.virtual [data-row="99999"]', { hasText: 'case-099999' }).waitFor();
  assert.ok(await page.locator('.virtual [data-row]').count() < 60);
  await page.locator('.virtual').evaluate((box) => { box.scrollTop = box.scrollHeight / 2; });
  await page.locator('.virtual', { hasText: /case-0[45]\d{4}/ }).waitFor();
  await page.getByLabel('Search').fill('case-04321');
  await page.getByText('10 of 100,000 cases').waitFor();
  // Opened by its place, a case is what `assay show` reads from the start.
  const shown = JSON.parse((await assay(['show', join(results, 'many'), 'case-099998', '--format', 'json'])).stdout);
  for (let i = 0; i < 3; ++i) {
    const answer = await fetch(`${origin}/api/runs/many/case?id=case-099998`, { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual(await answer.json(), shown);
  }
  assertQuiet(seen, origin);
  await close();
});

test('a run is watched while it runs, is killed and is resumed', async () => {
  const watched = ['run', join(directory, 'configs/watched.yaml'), '--output-dir', join(results, 'watched'), '--quiet'];
  const { page, seen, close } = await tab('/?sort=started&descending=true');
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  const first = start(watched, { env: sim.env });
  await askedMore(sim, 20, first);
  const row = page.locator('.runs tr', { hasText: 'watched' });
  await row.getByText('running').waitFor();
  await row.getByRole('link').click();
  await page.locator('.progress', { hasText: /\d+ of 300 cases/ }).waitFor();
  first.child.kill('SIGKILL');
  await first.ended;
  await page.locator('.outcome', { hasText: 'unfinished' }).waitFor();
  const second = start(['resume', join(results, 'watched'), '--quiet'], { env: sim.env });
  await page.locator('.outcome', { hasText: 'running' }).waitFor();
  await page.screenshot({ path: join(screenshots, 'page-watched.png'), fullPage: true });
  const { code, stderr } = await second.ended;
  assert.equal(code, 0, stderr);
  await page.locator('.outcome', { hasText: 'done' }).waitFor();
  await page.getByText('All 300 cases were evaluated.').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('what happened while the page was not connected is shown when it is again', async () => {
  const { page, close } = await tab('/store');
  await page.route('**/api/events*', (route) => route.abort());
  await page.goto(`${origin}/?sort=started&descending=true`);
  await page.getByText('Not connected to the server').waitFor();
  await settled(page);
  await run(join(directory, 'hostile.yaml'), 'meanwhile');
  await page.unroute('**/api/events*');
  await page.locator('.runs tr', { hasText: 'meanwhile' }).waitFor();
  await close();
});

test('a case of an experiment is its answers beside each other, what its comparisons come to, and each run when it is opened', async () => {
  const { page, seen, close } = await tab('/runs/trial/case?id=query_1');
  await page.getByRole('table', { name: 'Preferences' }).getByText('test 1 hardcoded against control').waitFor();
  assert.equal(await page.getByText('Run 1 of 2').locator('xpath=..').locator('.answer').count(), 5);
  assert.equal(await page.getByText('Run 2 of 2').locator('xpath=..').locator('.answer').count(), 0);
  await page.getByText('Run 2 of 2').click();
  await page.getByText('Run 2 of 2').locator('xpath=..').locator('.answer').last().waitFor();
  await page.goto(`${origin}/runs/trial/read`);
  await page.locator('.reading', { hasText: 'query_2' }).getByText('Answers by condition').waitFor();
  assert.equal(await page.locator('.timeline').count(), 0);
  assertQuiet(seen, origin);
  await close();
});

test('a person sees what was asked, whichever system answered', async () => {
  const made = await fetch(`${origin}/api/runs/agents/sheets`, {
    method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ kind: 'rubric', question: 'Is it right?', count: 6 }),
  });
  const { id } = await made.json();
  const { tasks } = readJson(join(directory, 'store/labels', id, 'sheet.json'));
  assert.deepEqual(new Set(tasks.map(({ case: name }) => /-(\w+)-agent-/.exec(name)[1])), new Set(['promptql', 'tool_calling', 'tool_calling_python']));
  for (const { case: name, material } of tasks) {
    assert.deepEqual(material.map((one) => one.name), ['task', 'answer'], name);
    assert.match(material[0].text, /ticket/, name);
  }
});

test('two people judge a sheet at once by keys, blinded, take an answer back, and see how far they agree', async () => {
  const { page, seen, close } = await tab(`/runs/${encodeURIComponent('bot:first')}/judge`);
  const offer = page.locator('form.offer', { hasText: 'Pairs' }).first();
  await offer.getByLabel('Cases, drawn at random').fill('4');
  await offer.getByRole('button', { name: 'Make the sheet' }).click();
  await page.waitForURL(/\/sheets\//);
  const address = new URL(page.url()).pathname;
  const other = await tab(address);
  for (const [name, one] of [['Ada', page], ['<b>Bo</b>', other.page]]) {
    await one.getByLabel('Your name').fill(name);
    await one.keyboard.press('Enter');
    await one.getByText('0 of 4 done').waitFor();
    assert.doesNotMatch(await one.locator('main').innerText(), /\b(old|new)\b [12]|variant/);
  }
  await assertAccessible(page, 'a task');
  await page.screenshot({ path: join(screenshots, 'page-task.png'), fullPage: true });
  await page.keyboard.down('a');
  await page.getByText('1 of 4 done').waitFor();
  // A key that is held has answered once.
  for (let i = 0; i < 3; ++i) await page.keyboard.down('a');
  await page.keyboard.up('a');
  await page.keyboard.press('u');
  await page.getByText('0 of 4 done').waitFor();
  for (const [one, key] of [[page, 'a'], [other.page, 't']]) {
    for (let done = 1; done <= 4; ++done) {
      await one.keyboard.press(key);
      await one.getByText(`${done} of 4 done`).waitFor();
    }
    await one.getByText('All done').waitFor();
  }
  await page.getByRole('button', { name: 'See what the answers say' }).click();
  await page.getByRole('heading', { name: 'Between people' }).waitFor();
  await page.getByText('<b>Bo</b>').first().waitFor();
  await page.getByLabel('As good as one more person?').getByText('Not said: two people show only which of them the judge is nearer to').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Labels as CSV' }).click()]);
  assert.match(readFileSync(await download.path(), 'utf8'), /Ada/);
  await assertAccessible(page, 'agreement');
  await page.screenshot({ path: join(screenshots, 'page-agreement.png'), fullPage: true });
  for (const tabSeen of [seen, other.seen]) assertQuiet(tabSeen, origin);
  await other.close();
  await close();
});

test('a run is chosen, changed, checked, started, stopped and resumed from the page', async () => {
  const { page, seen, close } = await tab('/');
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByLabel('Config').selectOption('watched.yaml');
  await page.getByLabel('what').fill('started from the page');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('heading', { name: 'Check: it can run' }).waitFor();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.locator('.what', { hasText: 'started from the page' }).waitFor();
  await page.locator('.progress', { hasText: /[1-9]\d* of 300 cases/ }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.outcome', { hasText: 'unfinished' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.locator('.outcome', { hasText: 'running' }).waitFor();
  await page.getByText('All 300 cases were evaluated.').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('everything that the data service keeps is listed, narrowed and shown whole', async () => {
  const { page, seen, close } = await tab('/');
  await page.getByRole('link', { name: 'Data' }).click();
  await page.getByRole('table', { name: 'Items' }).getByText('Delivery item-0004').waitFor();
  for (const kind of ['Verdicts', 'Records', 'Failures', 'Jobs', 'Contexts', 'Personas', 'Perspectives', 'Feedback', 'Tags']) {
    await page.getByRole('navigation', { name: 'Kinds of data' }).getByRole('link', { name: kind }).click();
    await page.locator('a[aria-current]', { hasText: kind }).waitFor();
    await settled(page);
    assert.equal(await page.getByRole('alert').count(), 0, kind);
    if (!['Failures', 'Feedback'].includes(kind)) await page.getByRole('table', { name: kind }).waitFor();
  }
  await page.getByRole('link', { name: 'Personas' }).click();
  await page.getByRole('table', { name: 'Personas' }).getByRole('link').first().click();
  await page.getByText('textile conservator').first().waitFor();
  assert.match(page.url(), /[?&]open=/, 'what is open has an address');
  await page.getByRole('link', { name: 'Items' }).click();
  await page.getByLabel('search').fill('item-0003');
  await page.keyboard.press('Enter');
  await page.getByText('1 in all').waitFor();
  assert.match(page.url(), /search=item-0003/);
  assertQuiet(seen, origin);
  await close();
});
