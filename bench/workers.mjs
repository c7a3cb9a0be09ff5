// What more workers bring, and what the store and the queue cost: cases a second with 1, 2 and 4 workers of one thread
// each against an endpoint of fixed latency, each with the same share of permits, and CPU a case of everything that took
// part, beside a run on one machine.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assay, sleep, start } from '../tests/system/harness.mjs';
import { nats, postgres } from './cluster.mjs';
import { against } from './endpoint.mjs';
import { answered, lines } from './inputs.mjs';
import { judgedArguments, rounds, scratch } from './program.mjs';
import { microseconds, percent, whole } from './report.mjs';

const kLatency = 100;
const kInFlight = 32;  // of each worker
const kCases = 4000;
const kRounds = rounds(2);

// CPU seconds of a process and all below it, those that have ended included.
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
function cpu(pid) {
  let stat;
  try { stat = readFileSync(`/proc/${pid}/stat`, 'utf8'); } catch { return 0; }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter((child) => child !== '');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticks + children.reduce((sum, child) => sum + cpu(child), 0);
}

let sequence = 0;
async function distributed(input, workers, servers, env) {
  const { database, cluster } = servers;
  const where = ['--store', `postgres://postgres@127.0.0.1:${database.port}/postgres`, '--queue', `nats://127.0.0.1:${cluster.nodes[0].port}`];
  const running = Array.from({ length: workers }, () => start(['worker', ...where, '--threads', '1'], { env }));
  await Promise.all(running.map(async (one) => { while (!one.stderr.includes('waits for runs')) await sleep(10); }));
  const output = join(scratch, `distributed-${sequence++}`);
  const everybody = () => [database.child.pid, cluster.nodes[0].child.pid, ...running.map((one) => one.child.pid)].map(cpu);
  const before = everybody();
  const began = process.hrtime.bigint();
  const coordinator = start([...judgedArguments({ input, output, inFlight: kInFlight * workers }), ...where], { env });
  let own = 0;
  const look = setInterval(() => { own = Math.max(own, cpu(coordinator.child.pid)); }, 20);
  const ended = await coordinator.ended;
  clearInterval(look);
  const wall = Number(process.hrtime.bigint() - began) / 1e9;
  const after = everybody();
  for (const one of running) { one.child.kill('SIGTERM'); await one.ended; }
  if (ended.code !== 0) throw new Error(ended.stderr);
  rmSync(output, { recursive: true });
  return { wall, cpu: after.reduce((sum, each, i) => sum + each - before[i], own), coordinator: own, database: after[0] - before[0], queue: after[1] - before[1] };
}

export async function workers(report) {
  const input = await lines(scratch, 'workers.jsonl', kCases, answered);
  const servers = { database: await postgres(), cluster: await nats(1) };
  try {
    const taken = (work) => against(kLatency, kCases, async ({ env }) => work(env));
    const local = async (env) => {
      const output = join(scratch, `local-${sequence++}`);
      let used = 0;
      const began = process.hrtime.bigint();
      const run = start([...judgedArguments({ input, output, inFlight: kInFlight, threads: 1 })], { env });
      const look = setInterval(() => { used = Math.max(used, cpu(run.child.pid)); }, 10);
      const ended = await run.ended;
      clearInterval(look);
      if (ended.code !== 0) throw new Error(ended.stderr);
      rmSync(output, { recursive: true });
      return { wall: Number(process.hrtime.bigint() - began) / 1e9, cpu: used };
    };
    const quickest = async (work) => {
      let best = null;
      for (let i = 0; i < kRounds; ++i) {
        const { endpoint, ...run } = await taken(work);
        if (!best || run.wall < best.wall) best = run;
      }
      return best;
    };
    const alone = await quickest(local);
    const rows = [['one machine, no store, no queue', whole(kCases / alone.wall), '', microseconds(alone.cpu / kCases), '', '', '']];
    let one = null;
    for (const count of [1, 2, 4]) {
      const run = await quickest((env) => distributed(input, count, servers, env));
      const rate = kCases / run.wall;
      one ??= rate;
      rows.push([`${count} worker${count > 1 ? 's' : ''}`, whole(rate), percent(rate / one / count), ...[run.cpu, run.coordinator, run.database, run.queue].map((each) => microseconds(each / kCases))]);
      console.log(rows.at(-1).join(', '));
    }
    report.table(`Cases a second, one call of ${kLatency} ms a case, ${kInFlight} in flight for each worker (${whole(kInFlight / kLatency * 1000)}/s at most), start and end of the run included; CPU a case`,
      ['', 'cases/s', 'of one worker × their number', 'CPU in all', 'coordinator', 'PostgreSQL', 'NATS'], rows);
  } finally {
    await servers.database.end();
    await servers.cluster.end();
  }
}
