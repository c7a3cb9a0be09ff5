// Runs over a coordinator, workers, PostgreSQL and a NATS cluster, in which everything is killed, stopped and cut off at
// moments that a seed draws, and what has become of them: every case once, no paid answer lost, the results those of a
// run on one machine, and no more requests than the faults explain. ASSAY_SEED repeats a draw, ASSAY_FAULT_RUNS says how
// many runs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assay, comparable, exists, ragConfig, ragLines, seeded, simulator, sleep, start, write, writeLines } from '../tests/system/harness.mjs';
import { nats, postgres, proxy } from './cluster.mjs';

const kCases = 40;
const kAtOnce = 4;
const kWorkers = 2;
const kLongest = 120_000;

// Every answer that the store holds, by what no other answer has.
const answers = async (database, run) => {
  const text = await database.sql(`SELECT e.case_index || ' ' || encode(e.step, 'escape') || ' ' || e.attempt || ' ' || e.finished FROM assay_effects e JOIN assay_runs r USING (run) WHERE r.run_id = '${run}' AND e.case_index >= 0`);
  return text === null ? [] : text.split('\n').filter((line) => line !== '');
};
const answersAtHome = (directory) => new Set(JSON.parse(execFileSync('python3', ['-c', `import json, sqlite3, sys
print(json.dumps([' '.join(map(str, row)) for row in sqlite3.connect('file:' + sys.argv[1] + '/run.db?mode=ro', uri=True).execute('SELECT case_index, step, attempt, finished FROM effects WHERE case_index >= 0')]))`, directory], { encoding: 'utf8', maxBuffer: 1 << 28 })));

export async function faults(scratch, report) {
  const wanted = Number(process.env.ASSAY_FAULT_RUNS ?? 200);
  const ends = [];
  const t = { name: 'faults', after: (end) => ends.push(end), diagnostic: (text) => console.log(text) };
  const random = seeded(t);
  const pick = (list) => list[random.between(0, list.length - 1)];
  const total = { runs: 0, faults: 0, answers: 0, open: 0, again: 0, kinds: {} };
  try {
    const sim = await simulator(t, ['--latency', '15ms', '--latency-spread', '15ms']);
    const database = await postgres();
    ends.push(database.end);
    const cluster = await nats(3);
    ends.push(cluster.end);
    const data = writeLines(join(scratch, 'cases.jsonl'), ragLines(kCases));
    const config = write(join(scratch, 'run.yaml'), ragConfig(data, `limits: {concurrency: ${kAtOnce}}\nqueue_lease: 1500ms\nreplicas: 3`));
    const local = join(scratch, 'local');
    assert.equal((await assay(['run', config, '--output-dir', local], { env: sim.env })).code, 0);
    const expected = comparable(join(local, 'results.jsonl'));

    // Each process has ways of its own to the servers.
    const ways = async () => {
      const to_database = await proxy(database.port);
      const to_nodes = await Promise.all(cluster.nodes.map((node) => proxy(node.port)));
      ends.push(() => { for (const one of [to_database, ...to_nodes]) one.end(); });
      return {
        to_database, to_nodes,
        flags: ['--store', `postgres://postgres@127.0.0.1:${to_database.port}/postgres`, '--queue', to_nodes.map((one) => `nats://127.0.0.1:${one.port}`).join(',')],
      };
    };
    const workers = [];
    for (let i = 0; i < kWorkers; ++i) {
      const way = await ways();
      const worker = { way, begin() { this.process = start(['worker', ...way.flags], { env: sim.env }); } };
      worker.begin();
      workers.push(worker);
      ends.push(async () => { worker.process.child.kill('SIGKILL'); await worker.process.ended; });
    }
    // As whoever runs them would: one that finds no server when it begins says so and ends.
    const begin_again = () => { for (const worker of workers) if (worker.process.child.exitCode !== null || worker.process.child.signalCode !== null) worker.begin(); };
    const home = await ways();

    for (let number = 0; total.runs < wanted; ++number) {
      const output = join(scratch, `run-${number}`);
      await sim.reset();
      begin_again();
      const begin = () => start(exists(join(output, 'config.yaml')) ? ['resume', output] : ['run', config, '--output-dir', output, ...home.flags], { env: sim.env });
      let coordinator = begin();
      let run = null;
      let kept = [];
      // Of all that was sent, what may come to nothing: at each fault what is in flight then, and what was answered and is
      // not durable yet.
      let open = 0;
      const healing = [];
      const happened = [];
      const later = (ms, heal) => healing.push(sleep(ms).then(heal));
      const keep = async () => {
        run ??= await database.sql('SELECT run_id FROM assay_open_runs ORDER BY opened DESC LIMIT 1') || null;
        if (run) kept = kept.concat(await answers(database, run));
      };
      const count_open = async () => {
        const { bodies, in_flight } = await sim.stats();
        open = Math.max(open + in_flight.now, bodies.distinct + bodies.again - new Set(kept).size);
      };
      const silence = (which) => { which.fall_silent(); later(random.between(200, 4000), () => { which.speak(); if (random.between(0, 1) === 0) which.hang_up(); }); };
      // What can happen, each with a way back.
      const kinds = {
        'worker killed': () => { const worker = pick(workers); worker.process.child.kill('SIGKILL'); later(random.between(0, 1500), async () => { await worker.process.ended; worker.begin(); }); },
        'worker stopped': () => { const { child } = pick(workers).process; child.kill('SIGSTOP'); later(random.between(200, 4000), () => child.kill('SIGCONT')); },
        'coordinator killed': () => { coordinator.child.kill('SIGKILL'); },
        'coordinator stopped': () => { const { child } = coordinator; child.kill('SIGSTOP'); later(random.between(200, 3000), () => child.kill('SIGCONT')); },
        'PostgreSQL killed': async () => { await database.kill(); later(random.between(0, 1500), () => database.begin()); },
        'PostgreSQL stopped': () => { database.signal('SIGSTOP'); later(random.between(200, 3000), () => database.signal('SIGCONT')); },
        'NATS node killed': async () => { const node = pick(cluster.nodes); await node.kill(); later(random.between(0, 2000), () => node.begin()); },
        'NATS node emptied': async () => { const node = pick(cluster.nodes); await node.kill(); node.forget(); later(random.between(0, 1000), () => node.begin()); },
        'all NATS nodes killed': async () => { for (const node of cluster.nodes) await node.kill(); if (random.between(0, 1) === 0) for (const node of cluster.nodes) node.forget(); later(random.between(0, 1000), () => Promise.all(cluster.nodes.map((node) => node.begin()))); },
        'NATS node stopped': () => { const node = pick(cluster.nodes); node.signal('SIGSTOP'); later(random.between(200, 3000), () => node.signal('SIGCONT')); },
        'worker cut off from PostgreSQL': () => silence(pick(workers).way.to_database),
        'worker cut off from NATS': () => { for (const one of pick(workers).way.to_nodes) silence(one); },
        'coordinator cut off from PostgreSQL': () => silence(home.to_database),
        'coordinator cut off from NATS': () => { for (const one of home.to_nodes) silence(one); },
      };
      const words = () => `run ${number}: ${happened.join(', ')}`;
      const began = Date.now();
      const in_time = () => assert.ok(Date.now() - began < kLongest, `${words()}: it does not end\n${coordinator.stderr}\n${workers.map((one) => one.process.stderr.slice(-1500)).join('\n--\n')}`);
      for (let left = random.between(1, 3); left > 0; --left) {
        // A moment by what was asked, so that slow machines and fast ones break at the same places.
        const moment = await sim.sent() + random.between(0, kCases / 3);
        while (await sim.sent() < moment && coordinator.child.exitCode === null && coordinator.child.signalCode === null) { in_time(); await sleep(2); }
        if (coordinator.child.exitCode !== null) break;
        await keep();
        await count_open();
        const kind = pick(Object.keys(kinds));
        happened.push(kind);
        total.kinds[kind] = (total.kinds[kind] ?? 0) + 1;
        await kinds[kind]();
        if (coordinator.child.signalCode !== null || kind === 'coordinator killed') { await coordinator.ended; coordinator = begin(); }
        await sleep(random.between(0, 300));
      }
      await Promise.all(healing);
      // To its end, over as many sittings as the faults make of it.
      for (;;) {
        const ended = await Promise.race([coordinator.ended, sleep(1000)]);
        in_time();
        begin_again();
        if (!ended) continue;
        if (ended.code === 0) break;
        assert.ok([2, 3].includes(ended.code) || ended.signal === 'SIGKILL', `${words()}: ${ended.code} ${ended.signal} ${ended.stderr}`);
        await sleep(300);
        coordinator = begin();
      }
      assert.deepEqual(comparable(join(output, 'results.jsonl')), expected, `${words()}: other results`);
      const verified = await assay(['verify', output]);
      assert.equal(verified.code, 0, `${words()}: ${verified.stdout}${verified.stderr}`);
      const there = answersAtHome(output);
      for (const one of kept) assert.ok(there.has(one), `${words()}: the answer ${one} is lost`);
      // Whatever became of them: who asked may not have lived to hear the answer.
      const { again } = (await sim.stats()).bodies;
      assert.ok(again <= open, `${words()}: ${again} requests again, ${open} open at the faults`);
      total.runs += 1;
      total.faults += happened.length;
      total.answers += there.size;
      total.open += open;
      total.again += again;
      rmSync(output, { recursive: true });
      if (total.runs % 5 === 0) console.log(`${total.runs} runs, ${total.faults} faults, ${total.open} requests open, ${total.again} again`);
    }
  } finally {
    for (const end of ends.reverse()) await end();
  }
  report('faults in runs over two workers, a coordinator, PostgreSQL and three NATS nodes', `${total.faults} in ${total.runs} runs`, '≥ 200 runs');
  report('of each kind', Object.entries(total.kinds).map(([kind, count]) => `${kind} ${count}`).join(', '), '');
  report('kept answers that were lost', `0 of ${total.answers}`, '0');
  report('requests that were in flight at a fault, or answered and not durable yet', String(total.open), '');
  report('requests that were sent again', String(total.again), `in each run no more than those that were open: ${total.open} in all`);
  report('runs with other results than on one machine, or that do not verify', '0', '0');
}
