// Runs that are started, stopped and gone on with through the service: real processes of the real program.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { assay, exists, nobodyThere, ragConfig, ragLines, readJson, readLines, root, scratch, simulator, sleep, write, writeLines } from './harness.mjs';
import { apiOf } from './api_calls.mjs';
import { service } from './service_process.mjs';

async function starting(t, place, { env = {} } = {}) {
  const running = await service(t, join(place, 'store'), { args: ['--results', join(place, 'results'), '--configs', join(place, 'configs')], env });
  const { call } = await apiOf(running);
  const run = async (id) => (await call('GET', `/api/runs/${encodeURIComponent(id)}`)).json.run;
  // Until the run is as wanted; a test that waits in vain is ended by its time limit.
  const until = async (id, wanted) => {
    for (;;) {
      const glance = await run(id);
      if (wanted(glance)) return glance;
      await sleep(20);
    }
  };
  return { ...running, call, run, until };
}

function place(t) {
  const directory = scratch(t);
  mkdirSync(join(directory, 'configs'));
  mkdirSync(join(directory, 'results'));
  return directory;
}

test('a config is shown, changed, checked and run; what the file alone may say is refused', async (t) => {
  const directory = place(t);
  cpSync(join(root, 'examples/custom'), join(directory, 'configs/custom'), { recursive: true });
  write(join(directory, 'outside.yaml'), 'evaluation: custom\n');
  symlinkSync(join(directory, 'outside.yaml'), join(directory, 'configs/link.yaml'));
  write(join(directory, 'configs/keyed.yaml'), 'evaluation: rag_answers\ninput_path: x.jsonl\nhttp: {proxy: "http://kim:hunter2secret@proxy:3128"}\n');
  const served = await starting(t, directory);

  const { configs } = (await served.call('GET', '/api/configs')).json;
  assert.deepEqual(configs.map((one) => one.name), ['custom/http/support_bot_http.yaml', 'custom/support_bot.yaml', 'custom/trajectories.yaml', 'keyed.yaml']);
  assert.equal(configs[1].what, 'support bot, old prompt against new');
  const { json: shown } = await served.call('GET', '/api/config?name=custom/support_bot.yaml');
  assert.equal(shown.evaluation, 'custom');
  assert.equal(shown.values['judge.model'], 'sim/judge');
  assert.equal(shown.values.repeat, 2);
  const limit = shown.keys.find((key) => key.name === 'limit');
  assert.deepEqual([limit.type, limit.minimum, limit.changeable], ['integer', 1, true]);
  assert.equal(shown.keys.find((key) => key.name === 'output_dir').changeable, false);
  assert.ok(!(await served.call('GET', '/api/config?name=keyed.yaml')).text.includes('hunter2secret'));
  for (const name of ['../outside.yaml', 'link.yaml', '%2Fetc%2Fpasswd', 'custom/../../outside.yaml', 'custom']) {
    assert.equal((await served.call('GET', `/api/config?name=${name}`)).status, 404, name);
  }
  assert.equal((await served.call('GET', '/api/config?name=')).status, 400, 'a name is needed');

  const config = 'custom/support_bot.yaml';
  const checked = await served.call('POST', '/api/check', { config, changes: { limit: 3, 'judge.model': 'sim/judge' } });
  assert.equal(checked.status, 200, checked.text);
  assert.equal(checked.json.ok, true);
  assert.match(checked.json.output, /first 3 of 20 cases/);
  assert.match(checked.json.output, /nothing was sent/);
  for (const [changes, message] of [
    [{ limit: 0 }, /found 0, expected a whole number from 1/],
    [{ limit: 'many' }, /expected a whole number/],
    [{ limti: 3 }, /did you mean limit/],
    [{ output_dir: '/tmp/x' }, /in the file only/],
    [{ metrics: [] }, /in the file only/],
    [{ 'judge.model': '${OPENAI_API_KEY}' }, /variables are filled in files only/],
    [{ input_path: '../../outside.yaml' }, /among the configs/],
    [{ input_path: '/etc/passwd' }, /among the configs/],
    [{ reuse: '/' }, /among the configs/],
  ]) {
    for (const route of ['/api/check', '/api/runs']) {
      const refused = await served.call('POST', route, { config, changes });
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.json.errors[0].pointer, `/changes/${Object.keys(changes)[0]}`);
      assert.match(refused.json.errors[0].message, message);
    }
  }
  // The program's own words, and nothing is left behind.
  const refused = await served.call('POST', '/api/runs', { config, changes: { variant: 'nwe' } });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /unknown variant nwe; did you mean `new`/);
  assert.deepEqual(readdirSync(join(directory, 'results/custom')), []);

  const started = await served.call('POST', '/api/runs', { config, changes: { limit: 4, what: "it's; $(touch nothing) `here`", gates: ['failed.rate.new <= 0.5'] } });
  assert.equal(started.status, 202, started.text);
  const glance = await served.until(started.json.run, (one) => one.state === 'done');
  assert.equal(glance.done, 4);
  assert.equal(glance.what, "it's; $(touch nothing) `here`");
  assert.equal(readLines(join(glance.directory, 'results.jsonl')).length, 4);
  assert.ok(!exists(join(directory, 'nothing')));
});

test('a run is stopped and gone on with, by a later service too, and outlives the one that started it', async (t) => {
  const directory = place(t);
  const sim = await simulator(t, ['--latency', '40ms']);
  writeLines(join(directory, 'configs/d.jsonl'), ragLines(60));
  write(join(directory, 'configs/slow.yaml'), `evaluation: rag_answers
input_path: d.jsonl
judge: {model: openai/judge-model, temperature: 0}
metrics: [coherence]
n_runs: 1
limits: {concurrency: 1}
`);
  let served = await starting(t, directory, { env: sim.env });
  const started = await served.call('POST', '/api/runs', { config: 'slow.yaml', changes: {} });
  assert.equal(started.status, 202, started.text);
  const id = started.json.run;
  await served.until(id, (one) => one.state === 'running' && one.done > 0);
  const stopped = await served.call('POST', `/api/runs/${encodeURIComponent(id)}/stop`);
  assert.equal(stopped.status, 202, stopped.text);
  const halted = await served.until(id, (one) => one.state === 'unfinished');
  assert.ok(halted.done > 0 && halted.done < 60);
  const found = async (search) => (await served.call('GET', `/api/runs/${encodeURIComponent(id)}/cases?search=${search}`)).json.fitting;
  assert.deepEqual([await found('RENEW%20permit'), await found('number%200'), await found('nobody')], [halted.done, 1, 0], 'in what its cases are about');
  // The run is given up a moment before its process is gone.
  let again;
  do again = await served.call('POST', `/api/runs/${encodeURIComponent(id)}/stop`); while (again.status === 202);
  assert.equal(again.status, 409);

  const resumed = await served.call('POST', `/api/runs/${encodeURIComponent(id)}/resume`);
  assert.equal(resumed.status, 202, resumed.text);
  // The service dies; the run goes on, and the next service knows whom to stop.
  await served.kill();
  served = await starting(t, directory, { env: sim.env });
  await served.until(id, (one) => one.state === 'running' && one.done > halted.done);
  assert.equal((await served.call('POST', `/api/runs/${encodeURIComponent(id)}/stop`)).status, 202);
  await served.until(id, (one) => one.state === 'unfinished');
  await sim.reset();
  assert.equal((await served.call('POST', `/api/runs/${encodeURIComponent(id)}/resume`)).status, 202);
  const done = await served.until(id, (one) => one.state === 'done');
  assert.equal(done.done, 60);
  assert.equal(readJson(join(done.directory, 'summary.json')).cases.evaluated, 60);
  const over = await served.call('POST', '/api/runs/nothing:at-all/resume');
  assert.equal(over.status, 404);
});

test('a run that stopped before its end says why on the page and at the terminal, until somebody goes on', async (t) => {
  const directory = place(t);
  writeLines(join(directory, 'configs/d.jsonl'), ragLines(30));
  write(join(directory, 'configs/c.yaml'), `${ragConfig('d.jsonl')}limits: {attempts: 1, concurrency: 1}\n`);
  let served = await starting(t, directory, { env: nobodyThere });
  const started = await served.call('POST', '/api/runs', { config: 'c.yaml', changes: {} });
  assert.equal(started.status, 202, started.text);
  const id = started.json.run;
  const detail = async () => (await served.call('GET', `/api/runs/${encodeURIComponent(id)}`)).json;
  const { directory: run } = await served.until(id, (one) => one.state === 'unfinished' && exists(join(one.directory, 'stopped.log')));
  // The run has another version as soon as it has said why.
  const stopped = await detail();
  const [first] = stopped.problems;
  assert.deepEqual([first.severity, first.place, stopped.problem_count], ['error', 'run', stopped.problems.length]);
  assert.match(first.message, /127\.0\.0\.1/);
  assert.match(stopped.rests_on[0], /^0 of 30 cases were evaluated\.( \d+ cases? ended in error\.)? \d+ cases have no outcome yet\./);
  assert.match((await assay(['report', run, '--format', 'md'])).stdout, /error at `run`: .*127\.0\.0\.1/);
  await served.kill('SIGTERM');

  const sim = await simulator(t);
  served = await starting(t, directory, { env: sim.env });
  assert.equal((await served.call('POST', `/api/runs/${encodeURIComponent(id)}/resume`)).status, 202);
  await served.until(id, (one) => one.state === 'done');
  assert.deepEqual((await detail()).problems.filter(({ place }) => place === 'run'), []);
  assert.ok(!exists(join(run, 'stopped.log')));
});

test('only a token of role run sees configs and starts runs; one of role label judges', async (t) => {
  const directory = place(t);
  write(join(directory, 'configs/c.yaml'), 'evaluation: question_router\ninput_path: d.jsonl\n');
  const tokens = join(directory, 'tokens');
  const bearer = async (client, roles) => {
    const made = await assay(['serve', '--tokens', tokens, '--new-token', client, '--roles', roles]);
    assert.equal(made.code, 0, made.stderr);
    return { authorization: `Bearer ${made.stdout.trim()}` };
  };
  const runner = await bearer('runner', 'run');
  const judge = await bearer('judge', 'label');
  const served = await service(t, join(directory, 'store'), { args: ['--results', join(directory, 'results'), '--configs', join(directory, 'configs'), '--tokens', tokens] });
  const base = new URL(served.base).origin;
  const status = async (method, path, headers) => (await fetch(base + path, {
    method, headers: { ...headers, 'content-type': 'application/json' }, body: method === 'POST' ? '{}' : undefined,
  })).status;
  for (const [method, path] of [['GET', '/api/configs'], ['GET', '/api/config?name=c.yaml'], ['POST', '/api/check'], ['POST', '/api/runs'], ['POST', '/api/runs/x/stop'], ['POST', '/api/runs/x/resume']]) {
    assert.equal(await status(method, path, {}), 401, path);
    assert.equal(await status(method, path, judge), 403, path);
    assert.ok([200, 400, 404].includes(await status(method, path, runner)), path);
  }
  assert.equal(await status('POST', '/api/runs/x/sheets', judge), 400);
  assert.equal(await status('GET', '/api/sheets/x/next?person=Kim', judge), 404);
});
