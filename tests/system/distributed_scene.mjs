// A run over a coordinator and workers, with a real PostgreSQL and a real NATS server, beside the same run on one
// machine.
import assert from 'node:assert/strict';
import { before, after } from 'node:test';
import { join } from 'node:path';
import { assay, comparable, ragConfig, ragLines, readJson, scratch, simulator, sleep, start, write, writeLines } from './harness.mjs';
import { natsServer } from './nats_server.mjs';
import { postgresServer } from './postgres_server.mjs';

export const kCases = 60;
export const kAtOnce = 4;
export const kKey = 'key-of-a-worker-5e0c';
// Servers are shared by the tests of this file; each run has a lane and rows of its own.
const ends = [];
const all = { name: 'distributed', after: (end) => ends.push(end), diagnostic: () => {} };
export let postgres;
before(async () => { postgres = await postgresServer(all); });
after(async () => { for (const end of ends.reverse()) await end(); });

// Judged cases, written into the directory with what their config names.
const ragFiles = (cases, extra) => (directory) => {
  const data = writeLines(join(directory, 'cases.jsonl'), ragLines(cases));
  return ragConfig(data, `models: {judge: {provider: openai, name: judge-model, api_key_env: JUDGE_KEY}}
${extra}`).replace('model: openai/judge-model', 'model: judge');
};

// What the runs of a test share: data, a simulated model that takes its time, and the results of a local run.
export async function scene(t, { latency = '20ms', cases = kCases, extra = '', sim: more = [], files = ragFiles(cases, extra), coordinatorKey = false, queue } = {}) {
  const directory = scratch(t);
  postgres.sql('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const nats = queue?.server ?? await natsServer(t);
  const sim = await simulator(t, ['--latency', latency, ...more]);
  const config = write(join(directory, 'run.yaml'), `${files(directory).trim()}
limits: {concurrency: ${kAtOnce}}
queue_lease: 1500ms
`);
  const local = join(directory, 'local');
  sim.env.JUDGE_KEY = kKey;
  const plain = await assay(['run', config, '--output-dir', local], { env: sim.env });
  assert.equal(plain.code, 0, plain.stderr);
  const asked = await sim.sent();
  await sim.reset();
  const out = join(directory, 'out');
  const home = coordinatorKey ? sim.env : { OPENAI_BASE_URL: sim.env.OPENAI_BASE_URL };
  const where = ['--store', postgres.url(), ...(queue?.flags ?? ['--queue', nats.url()])];
  const worker = (more = [], env = sim.env) => {
    const process_ = start(['worker', ...where, ...more], { env });
    t.after(async () => { process_.child.kill('SIGKILL'); await process_.ended; });
    return process_;
  };
  const coordinator = (more = []) => {
    const process_ = start(['run', config, '--output-dir', out, ...where, ...more], { env: home });
    t.after(async () => { process_.child.kill('SIGKILL'); await process_.ended; });
    return process_;
  };
  const resume = () => start(['resume', out], { env: home });
  // Requests that a fault just now may have cost: in flight, or answered and not durable. Looked for again and again for
  // a while, since on a busy machine some are still on their way to the server; what is kept first, since others go on
  // meanwhile.
  const open = async () => {
    let most = 0;
    for (let look = 0; look < 5; ++look) {
      await sleep(100);
      const there = postgres.sql("SELECT to_regclass('assay_effects') IS NOT NULL") === 't';
      const kept = there ? Number(postgres.sql("SELECT count(*) FROM assay_effects WHERE kind = 'model'")) : 0;
      const { bodies } = await sim.stats();
      most = Math.max(most, bodies.distinct + bodies.again - kept);
    }
    return most;
  };
  return { directory, nats, sim, config, local, asked, out, worker, coordinator, resume, open };
}

// The run's files say what those of a local run say, and no more was asked than was open at a fault.
export async function assertSame({ local, out, sim, asked }, { open = 0, files = [] } = {}) {
  for (const file of ['results.jsonl', ...files]) assert.deepEqual(comparable(join(out, file)), comparable(join(local, file)), file);
  const [there, here] = [local, out].map((directory) => readJson(join(directory, 'summary.json')));
  for (const part of ['metrics', 'cases', 'conclusions', 'anchors']) assert.deepEqual(here[part], there[part], part);
  const verified = await assay(['verify', out]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const sent = await sim.sent();
  assert.ok(sent >= asked && sent <= asked + open, `${sent} requests, ${asked} on one machine, ${open} open at the fault`);
}
