// What the data service holds, read back from outside: lists that clients page through while others record, streams of
// everything, figures of a job, and what is removed for good.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { assay, readJson, root, scratch, simulator, sleep, write, writeLines } from './harness.mjs';
import { apiOf } from './api_calls.mjs';
import { service, item, items, job, persona, perspective, fixture } from './service_process.mjs';
import { csvRows } from './component_runs.mjs';

const open = (t, options) => service(t, join(scratch(t), 'store'), options);
const ok = (answer) => { assert.ok(answer.status < 300, `${answer.status}: ${answer.text}`); return answer.json; };
const remove = (running, path) => running.call('DELETE', path);

// A success record about these items, each judged twice; `says` is the judge's reason.
function recordOf(context, ids, { tag = 'trial', says = 'because' } = {}) {
  const record = structuredClone(fixture('success_mode2.json'));
  record.context.contextId = context;
  const [one] = record.items;
  record.items = ids.map((id) => {
    const copy = structuredClone({ ...one, itemId: id, tags: [tag] });
    for (const { perspectives } of copy.evaluationResponses) perspectives[0].evaluationText = says;
    return copy;
  });
  return record;
}
const perItem = fixture('success_mode2.json').items[0].evaluationResponses.length;

async function* pages(running, path, list) {
  for (let next = ''; next !== null;) {
    const page = ok(await running.get(`${path}${path.includes('?') ? '&' : '?'}count=7${next && `&cursor=${next}`}`));
    yield page[list];
    next = page.next;
  }
}

test('what the service gives out is as its description says', async (t) => {
  const sim = await simulator(t, ['--seed', '5', '--rate-wrong-schema', '0.8']);
  const running = await open(t, { env: sim.env });
  ok(await running.post('/record-evaluation-items', { items: items(8) }));
  const done = ok(await running.post('/process-evals/mode2', job()));
  const { good } = await apiOf(running);
  const at = (path) => good('GET', `/data/eval${path}`);
  const status = await at(`/process-evals/mode2/${done.job_id}`);
  assert.ok(status.eval_info.length > 0 && status.evaluations.length > 0);
  assert.ok((await at('/get-evaluation-failures')).failures.length > 0, 'some requests failed');
  assert.equal((await at('/get-evaluation-jobs')).jobs.length, 1);
  assert.equal((await at('/fetch-evaluation-items')).items.length, 8);
  await at('/get-evaluation-data');
  await at(`/process-evals/mode2/${done.job_id}/figures`);
  await at('/item?id=item-0001');
  await at('/persona?id=ines');
  await at('/perspective?id=fit');
});

test('who pages by cursor while others record and remove meets everything once', async (t) => {
  const running = await open(t);
  for (let i = 0; i < 30; ++i) ok(await running.post('', recordOf(`before ${i}`, [`item-${i}`])));
  const before = ok(await running.get('/get-evaluation-data?count=0')).results;
  for (const result of before) ok(await running.post('/feedback', { resultId: result.resultId, person: 'kim', likert: 4 }));
  let more = 0;
  for (const [path, list, id] of [['/get-evaluation-data?tag=trial', 'results', 'resultId'], ['/records', 'records', 'recordId'],
    ['/feedback', 'feedback', 'feedbackId'], ['/contexts', 'contexts', 'contextId'], ['/tags', 'tags', 'tag']]) {
    const there = [];
    for await (const page of pages(running, path, list)) there.push(...page.map((one) => one[id]));
    const seen = [];
    let rounds = 0;
    for await (const page of pages(running, path, list)) {
      seen.push(...page.map((one) => one[id]));
      if (++rounds > 12) continue;  // else what is recorded would always be ahead
      more += 1;
      const gone = ok(await running.post('', recordOf(`gone ${more}`, [`gone-${more}`], { tag: `tag ${more}` })));
      ok(await remove(running, `/records/${gone.recordId}`));
      const kept = ok(await running.post('', recordOf(`kept ${more}`, [`kept-${more}`])));
      assert.ok(kept.recordId > gone.recordId, 'no number comes twice');
    }
    assert.equal(new Set(seen).size, seen.length, `${path}: nothing twice`);
    assert.deepEqual(there.filter((one) => !seen.includes(one)), [], `${path}: nothing skipped`);
  }
  const wrong = await running.get('/records?cursor=f3720');
  assert.equal(wrong.status, 400);
  assert.match(wrong.json.errors[0].message, /next/);
});

// Rows of CSV by the names of their columns.
function table(text) {
  const [head, ...rows] = csvRows(text);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [head[i], cell])));
}

const memory = (pid, name) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

test('20,000 verdicts come whole as CSV and as NDJSON, and a client that does not read costs no memory', async (t) => {
  const running = await open(t);
  const says = `=1+1 "quoted", and long: ${'why '.repeat(500)}`;
  const count = 20000;
  const each = 200;
  for (let i = 0; i < count / perItem / each; ++i)
    ok(await running.post('', recordOf(`context ${i}`, Array.from({ length: each }, (_, k) => `item-${i}-${k}`), { says })));
  assert.equal(ok(await running.get('/get-evaluation-data?count=1')).total, count);

  const csv = await running.get('/get-evaluation-data?tag=trial', { accept: 'text/csv' });
  assert.match(csv.headers.get('content-type'), /^text\/csv/);
  const rows = table(csv.text);
  assert.equal(rows.length, count);
  assert.equal(new Set(rows.map(({ resultId }) => resultId)).size, count);
  assert.ok(rows.every(({ evaluationText }) => evaluationText === `'${says}`), 'no spreadsheet computes it');
  assert.equal((await running.get('/get-evaluation-data?format=csv&page=2')).status, 400);

  const pid = running.run.child.pid;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');  // the highest mark begins anew
  const used = memory(pid, 'VmRSS');
  const { bytes, lines } = await new Promise((done, failed) => {
    httpGet(`${running.base}/get-evaluation-data?format=ndjson`, async (answer) => {
      answer.pause();
      await sleep(700);
      let total = 0;
      let ends = 0;
      answer.on('data', (chunk) => {
        total += chunk.length;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) ends += 1;
      });
      answer.on('end', () => done({ bytes: total, lines: ends }));
      answer.on('error', failed);
      answer.resume();
    }).on('error', failed);
  });
  assert.equal(lines, count);
  assert.ok(bytes > 45e6, `${bytes} bytes are much more than may be held`);
  const grown = memory(pid, 'VmHWM') - used;
  t.diagnostic(`${(bytes / 1e6).toFixed(0)} MB streamed, memory grew by ${grown.toFixed(1)} MB`);
  assert.ok(grown < 20, `memory grew by ${grown} MB`);
});

test('items, failures and feedback stream too, and every filter narrows', async (t) => {
  const running = await open(t);
  const early = item('a/1', { tags: ['source', 'x'], time: '2026-01-01T00:00:00Z' });
  const late = { ...item('b 2', { time: '2026-06-01T00:00:00Z' }), evaluateTitle: 'Ünusual\nTITLE' };
  ok(await running.post('/record-evaluation-items', { items: [early, late] }));
  const since = new Date(Date.now() - 60000).toISOString();
  ok(await running.post('', recordOf('ctx', ['a/1'])));
  const failure = { ...fixture('failure_processor.json') };
  const { failureId } = ok(await running.post('/record-evaluation-failure', failure));
  ok(await running.post('/feedback', { resultId: 1, person: 'kim', likert: 2, text: '@SUM(A1)' }));
  const count = async (path) => ok(await running.get(path)).total;
  assert.equal(await count('/items?search=title'), 1);
  assert.equal(await count('/items?publishedSince=2026-02-01T00:00:00Z'), 1);
  assert.equal(await count('/items?publishedUntil=2026-02-01T00:00:00Z&tag=x'), 1);
  const [verdict] = ok(await running.get('/get-evaluation-data?count=1')).results;
  assert.equal(verdict.jobId, null);
  for (const [filter, expected] of [[`likert=${verdict.evaluationLikertVal}&classification=${verdict.classificationName}`, 1], [`value=${verdict.classificationValue}&classification=${verdict.classificationName}`, 1],
    ['context=ctx', perItem], ['context=other', 0], [`since=${since}`, perItem], [`until=${since}`, 0], ['job=none', 0], ['agreement=AGREE', 0]])
    assert.equal(await count(`/get-evaluation-data?${filter}`), expected, filter);
  assert.equal((await running.get('/get-evaluation-data?since=yesterday')).status, 400);
  assert.equal((await running.get('/get-evaluation-data?agreement=perhaps')).status, 400);

  const itemRows = table((await running.get('/items?format=csv')).text);
  assert.deepEqual(itemRows.map(({ itemId, evaluateTitle }) => [itemId, evaluateTitle]), [['a/1', 'Delivery a/1'], ['b 2', 'Ünusual\nTITLE']]);
  const [said] = table((await running.get('/feedback', { accept: 'text/csv' })).text);
  assert.deepEqual([said.person, said.likert, said.text, said.itemId], ['kim', '2', "'@SUM(A1)", 'a/1']);
  const failures = (await running.get('/get-evaluation-failures?format=ndjson')).text.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(failures.map((one) => one.failureId), [failureId]);

  const one = ok(await running.get(`/item?id=${encodeURIComponent('a/1')}`));
  assert.deepEqual([one.itemId, one.tags, one.resultsTotal, one.feedbackTotal, one.item.evaluateTitle], ['a/1', ['source', 'x'], perItem, 1, 'Delivery a/1']);
  assert.equal((await running.get('/item?id=nobody')).status, 404);
  assert.equal((await running.get('/item')).status, 400);
  const [glance] = ok(await running.get('/records?itemId=a%2F1')).records;
  const whole = await running.get(`/records/${glance.recordId}`);
  assert.deepEqual(whole.json.record, recordOf('ctx', ['a/1']));
  assert.ok(whole.text.includes(JSON.stringify(recordOf('ctx', ['a/1']))), 'byte for byte');
  assert.equal((await running.get('/records/99')).status, 404);
  const who = ok(await running.get('/persona?id=kenton'));
  assert.deepEqual(who.versions.map(({ version, verdicts, persona: content }) => [version, verdicts, content.name]), [[1, perItem, 'Kenton']]);
  assert.deepEqual(ok(await running.get('/perspectives')).perspectives.map(({ perspectiveId, versions }) => [perspectiveId, versions]), [['classification', 1]]);
  ok(await running.post('/create-subset', { tag: 'source', percent: 50 }));
  assert.deepEqual(ok(await running.get('/subsets')).subsets, [{ tag: 'source', percent: 50, members: 1, of: 2 }]);
});

test('what was removed stays removed after kill -9, and a job that runs stays', async (t) => {
  const sim = await simulator(t, ['--latency', '20ms']);
  const store = join(scratch(t), 'store');
  const first = await service(t, store, { env: sim.env });
  ok(await first.post('/record-evaluation-items', { items: items(4) }));
  const done = ok(await first.post('/process-evals/mode2', job()));
  const [result] = ok(await first.get(`/get-evaluation-data?job=${done.job_id}&count=1`)).results;
  ok(await first.post('/feedback', { resultId: result.resultId, person: 'kim', likert: 4 }));
  assert.equal((await remove(first, '/feedback/99')).status, 404);
  assert.equal((await remove(first, '/process-evals/mode2/none')).status, 404);
  const record = ok(await remove(first, `/records/${result.recordId}`));
  assert.deepEqual([record.records, record.results, record.feedback], [1, 2, 1]);
  assert.equal((await remove(first, `/records/${result.recordId}`)).status, 404);
  const gone = ok(await remove(first, '/item?id=item-0003&records=true'));
  assert.deepEqual([gone.items, gone.records], [1, 1]);
  ok(await remove(first, `/process-evals/mode2/${done.job_id}`));
  await first.kill('SIGKILL');

  const second = await service(t, store, { env: sim.env });
  assert.equal((await second.get(`/records/${result.recordId}`)).status, 404);
  assert.equal(ok(await second.get('/feedback')).total, 0);
  assert.equal((await second.get('/item?id=item-0003')).status, 404);
  assert.equal((await second.get(`/process-evals/mode2/${done.job_id}`)).status, 404);
  assert.ok(!existsSync(join(store, 'jobs', done.job_id)));
  const again = ok(await second.post('/process-evals/mode2', job()));
  assert.equal(again.processed_items, 1, 'what the removed record had judged is asked about again');
  ok(await second.post('/record-evaluation-items', { items: items(60) }));
  const running = ok(await second.post('/process-evals/mode2?async=true', job({ tags_dest: ['slow'] })));
  const refused = await remove(second, `/process-evals/mode2/${running.job_id}`);
  assert.equal(refused.status, 409, refused.text);
  ok(await second.post(`/process-evals/mode2/${running.job_id}/cancel`));
  ok(await remove(second, `/process-evals/mode2/${running.job_id}`));
});

test('figures of a job with feedback are those of the same data on the command line', async (t) => {
  const sim = await simulator(t);
  const running = await open(t, { env: sim.env });
  const data = items(12);
  ok(await running.post('/record-evaluation-items', { items: data }));
  const done = ok(await running.post('/process-evals/mode2', job()));
  const path = `/process-evals/mode2/${done.job_id}`;
  const { results } = ok(await running.get(`/get-evaluation-data?job=${done.job_id}&count=10`));
  const labels = [];
  for (const [i, result] of results.entries()) {
    const likert = 1 + (i * 7) % 5;
    if (i === 0) ok(await running.post('/feedback', { resultId: result.resultId, person: 'kim', likert: 6 - likert }));  // changed her mind
    ok(await running.post('/feedback', { resultId: result.resultId, person: 'kim', likert }));
    const { itemId, classificationName, personaId, perspectiveId } = result;
    labels.push({ itemId, classificationName, personaId, perspectiveId, likert });
  }
  const figures = ok(await running.get(`${path}/figures`));

  const directory = scratch(t);
  writeLines(join(directory, 'items.jsonl'), data);
  writeLines(join(directory, 'human.jsonl'), labels);
  write(join(directory, 'eval.yaml'), JSON.stringify({
    evaluation: 'persona', items: 'items.jsonl', persona: [join(root, 'examples/persona/personas/ines.json')], perspectives: [perspective('fit')],
    mode: 'mode2', model: 'openai/judge', tags_dest: ['judged'], human: 'human.jsonl',
  }));
  const run = await assay(['run', 'eval.yaml', '--output-dir', 'out'], { cwd: directory, env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const summary = readJson(join(directory, 'out/summary.json'));
  assert.equal(figures.metrics['human.ratings'].value, 10);
  assert.ok(figures.metrics['agreement_rate.corrected'].ci, 'corrected by people, with an interval');
  assert.deepEqual(figures.metrics, summary.metrics);
  assert.deepEqual(figures.conclusions, summary.conclusions);
  assert.deepEqual(figures.cases, summary.cases);

  assert.equal(ok(await running.get(`${path}/figures?person=nobody`)).metrics['human.ratings'], undefined);
  const html = await running.get(`${path}/report`);
  assert.match(html.headers.get('content-type'), /^text\/html/);
  assert.match(html.headers.get('content-security-policy'), /sandbox/);
  assert.match(html.text, /<!doctype html>/i);
  const markdown = await running.get(`${path}/report?format=md`);
  assert.ok(markdown.text.includes('agreement'), markdown.text);
  assert.equal((await running.get(`${path}/report?format=pdf`)).status, 400);
  assert.equal((await running.get('/process-evals/mode2/none/figures')).status, 404);
  assert.equal((await running.get(`/process-evals/mode3/${done.job_id}/figures`)).status, 404);
  assert.equal(persona('ines').id, results[0].personaId);
});
