// The Data screen of the page in a real browser: entries by their address, feedback, removal, what a job came to, filters and
// files, with hostile texts and by keys alone.
import { after, before, test as always } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, openBrowser } from './browser.mjs';
import { scratch, sleep } from './harness.mjs';
import { assertAccessible, assertQuiet, openTab, overflow, screenshots } from './page_browser.mjs';
import { item, items, job, service } from './service_process.mjs';

const test = existsSync(join(build, 'web/with/page.js')) ? always : () => {};
const cleanups = [];
const whole = { after: (work) => cleanups.push(work) };
const hostile = '<img src=x onerror="alert(1)"> \u202etxet';
let served, origin, browser, jobId;

const good = async (answer) => {
  const { status, json, text } = await answer;
  assert.ok(status < 300, text);
  return json;
};

before(async () => {
  served = await service(whole, join(scratch(whole), 'store'));
  origin = new URL(served.base).origin;
  const hostileItem = { ...item('item-<b>\u202e'), evaluateTitle: hostile, evaluateText: hostile };
  await good(served.post('/record-evaluation-items', { items: [...items(40), hostileItem] }));
  ({ job_id: jobId } = await good(served.post('/process-evals/mode1', job({ model: 'sim/judge' }))));
  while ((await good(served.get(`/process-evals/mode1/${jobId}`))).status !== 'COMPLETE') await sleep(50);
  for (let i = 1; i <= 55; ++i) await good(served.post('/feedback', { resultId: 1, person: `person ${i}`, likert: 4, text: i === 1 ? hostile : `said ${i}` }));
  browser = await openBrowser(whole);
});
after(async () => { for (const work of cleanups.reverse()) await work(); });

const tab = (path, options) => openTab(browser, origin, path, options);

test('a verdict that stands on a later page of the list opens by its address, and all that people say of one can be read', async () => {
  const { page, seen, close } = await tab('/store/verdicts?open=80');
  await page.getByRole('heading', { level: 2, name: 'Verdict 80' }).waitFor();
  const [{ itemId }] = (await good(served.get('/get-evaluation-data?count=80'))).results.slice(-1);
  await page.locator('#entry').getByText(itemId, { exact: true }).first().waitFor();
  await page.goto(`${origin}/store/verdicts?open=8000`);
  await page.getByText('It is not in this list.').waitFor();
  await page.goto(`${origin}/store/verdicts?open=1`);
  await page.getByText('said 50').waitFor();
  await page.getByText('50 of 55').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('said 55').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  assertQuiet(seen, origin);
  await close();
});

test('feedback is given by keys alone, after the form has said that it is not blind', async () => {
  const { page, seen, close } = await tab('/store/verdicts?open=2', { width: 390, colorScheme: 'dark' });
  await page.getByText('Nobody has said anything yet.').waitFor();
  const form = page.locator('form.feedback');
  assert.match(await form.innerText(), /not a blind rating/);
  await form.getByRole('radio').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await page.keyboard.type('it can wait');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  const said = page.locator('#entry .case-list li', { hasText: 'Ada' });
  await said.getByText('it can wait').waitFor();
  assert.match(await said.innerText(), /^Ada\s+2/);
  assert.ok(await overflow(page) <= 0);
  await assertAccessible(page, 'a verdict with feedback at 390');
  await page.locator('#entry').screenshot({ path: join(screenshots, 'page-feedback-390-dark.png') });
  assertQuiet(seen, origin);
  await close();
});

test('what is removed is asked about once more, goes, and is told, by keys alone', async () => {
  const { page, seen, close } = await tab('/store/feedback?person=person+55');
  const opens = page.getByRole('table', { name: 'Feedback' }).getByRole('rowheader').getByRole('link');
  await opens.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove…' }).focus();
  await page.keyboard.press('Enter');
  const atFocus = (words) => page.waitForFunction((wanted) => document.activeElement.textContent === wanted, words);
  await atFocus('Keep it');  // what does no harm
  await page.keyboard.press('Enter');
  await atFocus('Remove…');
  await page.keyboard.press('Enter');
  await atFocus('Keep it');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Removed: 1 feedback.').waitFor();
  await page.getByText('Nothing fits.').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('a job is told by its figures, and its report is kept as a page and as Markdown', async () => {
  const { page, seen, close } = await tab('/store/jobs');
  await page.getByRole('table', { name: 'Jobs' }).getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/).waitFor();
  await page.getByRole('table', { name: 'Jobs' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'What it came to' }).waitFor();
  await page.locator('#entry .banner', { hasText: 'sim/judge' }).waitFor();
  await page.locator('#entry .figures .figure').first().waitFor();
  for (const [name, content] of [['Report (HTML)', /<html/], ['Report (Markdown)', /^### Assay: Persona/]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    assert.match(readFileSync(await download.path(), 'utf8'), content);
  }
  await assertAccessible(page, 'a job');
  await page.screenshot({ path: join(screenshots, 'page-job-1280-light.png'), fullPage: true });
  // Without its mode in the address the list is asked for it.
  await page.goto(`${origin}/store/jobs?open=${jobId}`);
  await page.getByRole('heading', { name: 'What it came to' }).waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('a list is narrowed by its filters, and saved as it is narrowed', async () => {
  const { page, seen, close } = await tab('/store/verdicts');
  await page.getByText('82 in all').waitFor();
  await page.getByLabel('Item id').fill('item-0003');
  await page.getByLabel('Classification').fill('urgency');
  await page.keyboard.press('Enter');
  await page.getByText('1 in all').waitFor();
  assert.equal(new URL(page.url()).search, '?itemId=item-0003&classification=urgency');
  for (const [name, lines] of [['CSV', /^resultId,.*\r?\n.*item-0003.*urgency/], ['NDJSON', /^\{.*"itemId":"item-0003".*\}\n$/]]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    assert.match(readFileSync(await download.path(), 'utf8'), lines);
  }
  await page.goto(`${origin}/store/jobs`);
  await page.getByLabel('Status').selectOption('ERROR');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('Nothing fits.').waitFor();
  assertQuiet(seen, origin);
  await close();
});

test('hostile texts are texts in every list and entry', async () => {
  const { page, seen, close } = await tab('/store/items?search=onerror');
  await page.getByRole('table', { name: 'Items' }).getByRole('rowheader').getByRole('link').click();
  await page.getByRole('heading', { level: 2 }).filter({ hasText: 'item-<b>U+202E' }).waitFor();
  await page.locator('#entry').getByText('onerror="alert(1)"').first().waitFor();
  await page.goto(`${origin}/store/feedback?person=person+1`);
  await page.getByRole('table', { name: 'Feedback' }).getByText('onerror').waitFor();
  assert.doesNotMatch(await page.locator('main').innerText(), /\u202e/);
  assert.equal(await page.locator('main img').count(), 0);
  assertQuiet(seen, origin);
  await close();
});

test('how long things are kept stands above the lists, with what the next sweep takes and the last one took', async () => {
  const { page, seen, close } = await tab('/store');
  await page.getByText('Everything is kept until somebody removes it.').waitFor();
  const pruned = { records: 0, results: 0, failures: 0, items: 0, jobs: 0 };
  const answer = { keep: { records: 2_592_000, jobs: null, items: null }, due: { ...pruned, records: 2, results: 5 }, last_sweep: null };
  await page.route('**/api/retention', (route) => route.fulfill({ json: answer }));
  await page.reload();
  await page.getByText('Kept: records 30 days').click();
  await page.getByText('to go with the next sweep: 2 records, 5 verdicts.').waitFor();
  await page.getByText('No sweep has ended yet.').waitFor();
  answer.last_sweep = { ended: '2026-11-18T08:30:00.250Z', removed: { ...pruned, jobs: 3 }, problem: hostile };
  await page.reload();
  await page.getByText('Kept: records 30 days').click();
  await page.getByText('The last sweep, 2026-11-18 08:30 UTC, took away 3 jobs. It was not all: <img').waitFor();
  await assertAccessible(page, 'what is kept');
  assertQuiet(seen, origin);
  await close();
});
