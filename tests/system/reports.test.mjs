// What a reader sees first of a run: the deciding sentences, what was evaluated by whom, and whether any of it was
// simulated; the same on the screen, on the page, in Markdown, JUnit and JSON.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { assay, readJson, root, scratch, simulator, ragLines } from './harness.mjs';
import { build, isDrawn, look, openBrowser, openPage } from './browser.mjs';
import { evaluate } from './component_runs.mjs';

const judged = (model, extra = {}) => ({ evaluation: 'rag_answers', judge: { model, temperature: 0 }, metrics: [{ name: 'relevance', threshold: 0.8 }], n_runs: 1, ...extra });
const answers = [
  { id: 'good', question: 'How do I renew a permit?', llm_answer: 'You renew a permit online.', ideal_answer: 'Renew the permit online.' },
  { id: 'bad', question: 'How do I renew a permit?', llm_answer: 'Bananas are yellow. The moon is far away.', ideal_answer: 'Renew the permit online.' },
];
const plainText = (markup) => markup.replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');

test('figures that rest on simulated answers are marked everywhere, and only they', async (t) => {
  const run = await evaluate(t, judged('sim/judge'), answers);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.summary.simulated, ['sim/judge']);
  assert.match(run.stdout, /Simulated: answers of sim\/judge/);
  assert.match(run.file('report.html'), /<p class="banner" role="note">Simulated: answers of sim\/judge/);
  const report = async (format) => (await assay(['report', run.output, '--format', format])).stdout;
  assert.match(await report('md'), /> ⚠️ \*\*Simulated: answers of sim\/judge/);
  assert.match(await report('junit'), /<property name="simulated" value="sim\/judge"\/>/);
  const other = await evaluate(t, judged('sim/judge?seed=2'), answers);
  const compared = await assay(['compare', run.output, other.output]);
  assert.match(compared.stdout, /Simulated: answers of sim\/judge/);

  const plain = await evaluate(t, { evaluation: 'question_router' }, [{ question: 'q', expected_outcome: 'a', actual_outcome: 'a' }]);
  assert.equal(plain.summary.simulated, undefined);
  for (const text of [plain.stdout, plain.file('report.html').split('<script>')[0]]) assert.doesNotMatch(text, /Simulated: answers|class="banner"/);
});

test('an answer of the simulator is told from a real one also over HTTP, be it the target or the judge', async (t) => {
  const sim = await simulator(t);
  const judge = await evaluate(t, judged('openai/gpt-4o'), answers, { env: sim.env });
  assert.equal(judge.code, 0, judge.stderr);
  assert.deepEqual(judge.summary.simulated, ['sim/gpt-4o']);
  const target = { generate: true, target: { model: { model: 'anthropic/claude-sonnet-4-5', prompt: 'Is this a jailbreak? {question}' } } };
  const guard = await evaluate(t, { evaluation: 'jailbreak_guardrails', ...target }, [{ question: 'hello', expected_outcome: false }], { env: sim.env });
  assert.equal(guard.code, 0, guard.stderr);
  assert.deepEqual(guard.summary.simulated, ['sim/claude-sonnet-4-5']);
});

test('the deciding sentences are the same on the screen, on the page, in Markdown, JUnit and JSON', async (t) => {
  const rows = [...Array(6)].map((_, i) => ({ question: `q${i}`, expected_outcome: i < 4, actual_outcome: i % 2 === 0 }));
  const run = await evaluate(t, { evaluation: 'jailbreak_guardrails', gates: ['recall >= 0.9'] }, rows);
  assert.equal(run.code, 1, run.stderr);
  const { conclusions, about } = run.summary;
  assert.match(conclusions[0], /^The gate failed: recall >= 0\.9 \(value 50\.0%\)\.$/);
  assert.match(conclusions[1], /^The guard stops 2 of 4 jailbreaks: recall 50\.0% \(95% interval .*n = 4\)\.$/);
  assert.match(about.data, /data\.jsonl \(6 cases\)$/);
  const report = async (format) => (await assay(['report', run.output, '--format', format])).stdout;
  const page = run.file('report.html');
  const [md, junit] = [await report('md'), await report('junit')];
  for (const sentence of conclusions) {
    assert.ok(run.stdout.replace(/\s+/g, ' ').includes(sentence), `on the screen: ${sentence}`);
    assert.ok(plainText(page).includes(`<li dir="auto">${sentence}</li>`), `on the page: ${sentence}`);
    assert.ok(plainText(md).replace(/\\/g, '').includes(`- ${sentence}`), `in Markdown: ${sentence}`);
    assert.ok(plainText(junit).includes(`name="conclusion" value="${sentence}"`), `in JUnit: ${sentence}`);
  }
  assert.ok(page.indexOf('id="conclusions"') < page.indexOf('id="figures"') && page.indexOf('id="figures"') < page.indexOf('id="plots"'));
});

test('answers asked again and requests retried stand under usage', async (t) => {
  const sim = await simulator(t, ['--seed', '3', '--rate-503', '0.2', '--rate-wrong-schema', '0.2', '--retry-after', '0']);
  const run = await evaluate(t, judged('openai/gpt-4o', { attempts: 9, limits: { attempts: 9 } }), ragLines(20), { env: sim.env });
  const { usage } = run.summary;
  assert.ok(usage.retries > 0 && usage.repairs > 0, JSON.stringify(usage));
  assert.equal(usage.requests, await sim.sent(), 'every try is a request');
  assert.ok(run.stdout.replace(/\s+/g, ' ').includes(`(${usage.retries} of them `) && run.stdout.includes(' asked again'), run.stdout);
  assert.match(run.file('report.html'), /<dt>Asked again<\/dt>/);
});

test('a case worth a look shows what was judged, and each case is a test that fails below its threshold', async (t) => {
  const run = await evaluate(t, judged('sim/judge?noise=0', { metrics: [{ name: 'relevance', threshold: 0.8 }, 'factual_recall'] }), answers);
  const { relevance } = run.results[1].metrics;
  const [statement] = relevance.runs[0].statements;
  const shown = readJson(join(run.output, 'notable_cases.json')).find((one) => one.id === 'bad');
  const text = shown.fields.map(({ name, text: words }) => `${name}: ${words}`).join('\n');
  assert.ok(text.includes(`: ${statement}`), `the statement beside its verdict, in ${text}`);
  assert.match(text, /ideal answer: Renew the permit online\./);
  assert.match(text, /FN, in the ideal answer only:/);
  assert.ok(plainText(run.file('report.html')).includes(statement));
  const { stdout } = await assay(['report', run.output, '--format', 'junit']);
  assert.equal(stdout.match(/<testcase classname="rag_answers.cases"/g).length, 2);
  assert.equal(relevance.passed, false);
  assert.match(stdout, /name="bad"[^>]*>\s*<failure type="threshold" message="[^"]*relevance \d\.\d{3}, threshold 0\.800/);
  assert.match((await assay(['report', run.output])).stdout, /- `bad`: `(relevance|factual_recall)/);
});

test('a report has every case: searched, sorted, opened with its material, foreign text as text; many cases in a page beside it', { skip: !isDrawn && 'built without npm' }, async (t) => {
  const hostile = '</script><img src=x onerror=alert(1)> \u202Etxt';
  const rows = Array.from({ length: 40 }, (_, i) => ({ id: `case-${i}`, question: i === 7 ? hostile : `How long does permit ${i} take?`, expected_outcome: 'a', actual_outcome: i % 4 === 0 ? 'b' : 'a' }));
  const run = await evaluate(t, { evaluation: 'question_router' }, rows);
  const instance = await openBrowser(t);
  for (const width of [1280, 390]) {
    const { page, complaints, requests } = await openPage(instance, join(run.output, 'report.html'), { width });
    const table = page.locator('#cases');
    const status = table.locator('[role=status]');
    assert.match(await status.textContent(), /^40 cases/);
    await table.getByRole('searchbox').fill('onerror');
    assert.match(await status.textContent(), /^1 of 40 cases/);
    await table.locator('[data-row="0"]').focus();
    await page.keyboard.press('Enter');
    const shown = await table.locator('.one-case').textContent();
    assert.ok(shown.includes('</script><img src=x onerror=alert(1)>') && shown.includes('U+202E'), shown);
    await table.getByRole('searchbox').fill('');
    await table.getByRole('button', { name: 'accuracy' }).click();
    assert.match(await table.locator('[data-row="0"]').textContent(), /^case-0/);
    assert.deepEqual(complaints, []);
    assert.deepEqual(requests.filter((url) => !/^(file|data):/.test(url)), []);
    const { overflow, foreign } = await look(page);
    assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
    assert.equal(foreign, 0);
    mkdirSync(join(build, 'screenshots'), { recursive: true });
    await page.screenshot({ path: join(build, `screenshots/report-cases-${width}.png`), fullPage: true });
  }
  const many = await evaluate(t, { evaluation: 'question_router' }, Array.from({ length: 2001 }, (_, i) => ({ ...rows[i % 40], id: `case-${i}` })));
  assert.match(many.file('report.html'), /<a href="all_cases.html">all cases<\/a>/);
  const beside = await openPage(instance, join(many.output, 'all_cases.html'), { width: 1280 });
  assert.match(await beside.page.locator('#case-table [role=status]').textContent(), /^2,001 cases/);
  assert.deepEqual(beside.complaints, []);
  // Where the results do not repeat what was judged, the report has it all the same.
  const talks = join(scratch(t), 'talks');
  const judging = await assay(['run', join(root, 'examples/guidelines/guidelines.yaml'), '--limit', '2', '--output-dir', talks, '--quiet']);
  assert.equal(judging.code, 0, judging.stderr);
  const conversations = await openPage(instance, join(talks, 'report.html'), { width: 1280 });
  await conversations.page.locator('#cases [data-row="0"]').focus();
  await conversations.page.keyboard.press('Enter');
  assert.match(await conversations.page.locator('.one-case').textContent(), /My wallet is gone/);
  assert.deepEqual(conversations.complaints, []);
});

test('the demo ends with what it found, and each of its reports reads at desk and phone width', async (t) => {
  const directory = scratch(t);
  const demo = await assay(['demo'], { cwd: directory });
  assert.equal(demo.code, 0, demo.stdout + demo.stderr);
  const runs = await assay(['runs', '--results', join(directory, 'assay-demo/results'), '--format', 'json']);
  assert.ok(JSON.parse(runs.stdout).every((entry) => entry.complete));
  const end = demo.stdout.slice(demo.stdout.indexOf('── what was found ──'));
  assert.match(end, /Simulated: answers of /);
  const instance = await openBrowser(t);
  mkdirSync(join(build, 'screenshots'), { recursive: true });
  const looked = ['question_router', 'output_guardrails', 'retrieval', 'topic_tagger', 'rag_answers', 'guidelines', 'persona_mode2', 'experiment_from_files', 'benchmark'];
  await Promise.all(looked.map(async (name) => {
    const entry = new RegExp(`^${name} +(\\S+) \\S+.*\\n((?:  .*\\n)+)`, 'm').exec(end);
    assert.ok(entry, `${name} in ${end}`);
    const [, figure, rest] = entry;
    const run = join(directory, /(assay-demo\/results\/\S+)\/report\.html/.exec(rest)[1]);
    const summary = readJson(join(run, 'summary.json'));
    assert.ok(figure in summary.metrics, figure);
    assert.ok(rest.replace(/\s+/g, ' ').includes(summary.conclusions[0]), rest);
    const title = summary.evaluation[0].toUpperCase() + summary.evaluation.slice(1).replaceAll('_', ' ');
    for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']]) {
      const { page, complaints } = await openPage(instance, join(run, 'report.html'), { width, colorScheme });
      const seen = await look(page);
      assert.ok(seen.title.startsWith(`${title}: ${summary.what.slice(0, 60)}`), seen.title);
      assert.ok(seen.overflow <= 0, `${name} is ${seen.overflow} px too wide at ${width}`);
      assert.deepEqual(seen.broken, [], `${name} at ${width}: words broken in table cells`);
      assert.deepEqual(complaints, []);
      const place = (selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top);
      assert.ok(await place('#conclusions li') < await place('#plots'), name);
      if (isDrawn) await page.screenshot({ path: join(build, 'screenshots', `report-${name}-${width}.png`), fullPage: true });
      await page.context().close();
    }
  }));
});
