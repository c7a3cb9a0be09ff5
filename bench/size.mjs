// What a case costs in messages, bytes and storage when its run goes over two workers, beside the same run on one machine:
// the constants of docs/size.md. Counted, not timed, so that other work on the machine does not matter.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sleep, start } from '../tests/system/harness.mjs';
import { nats, postgres } from './cluster.mjs';
import { against } from './endpoint.mjs';
import { answered, lines } from './inputs.mjs';
import { judgedArguments, scratch } from './program.mjs';
import { whole } from './report.mjs';

const kCases = Number(process.env.ASSAY_BENCH_SIZE ?? 20_000);
const kInFlight = 64;
// A line of about 160 bytes, and one that is longer by a text that does not repeat itself much.
const long = (i) => ({ ...answered(i), more: Array.from({ length: 160 }, (_, word) => (i * 7919 + word * 104_729).toString(36)).join(' ').slice(0, 1300) });
const inputs = { short: answered, long };

const bytes = (path) => statSync(path).size;
const kept = (output) => ({ journal: bytes(join(output, 'run.db')), results: bytes(join(output, 'results.jsonl')) });

// What a server of NATS has read and written in all, its disk included, and the messages that came and went.
async function account(node) {
  const io = readFileSync(`/proc/${node.child.pid}/io`, 'utf8');
  const { in_msgs, out_msgs } = await node.account();
  return { messages: in_msgs + out_msgs, in: Number(/rchar: (\d+)/.exec(io)[1]), out: Number(/wchar: (\d+)/.exec(io)[1]) };
}

let sequence = 0;
async function run(input, env, more = []) {
  const output = join(scratch, `size-${sequence++}`);
  const ended = await start([...judgedArguments({ input, output, inFlight: kInFlight }), ...more], { env }).ended;
  if (ended.code !== 0) throw new Error(ended.stderr);
  const files = kept(output);
  rmSync(output, { recursive: true });
  return files;
}

const stored = (database) => {
  const number = (sql) => Number(database.sql(sql));
  return {
    effects: number("SELECT pg_table_size('assay_effects') + pg_indexes_size('assay_effects')"),
    outcomes: number("SELECT pg_table_size('assay_outcomes') + pg_indexes_size('assay_outcomes')"),
    written: number("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"),
    commits: number("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"),
  };
};

async function distributed(input, env) {
  const [database, cluster] = [await postgres(), await nats(1)];
  const [node] = cluster.nodes;
  const where = ['--store', `postgres://postgres@127.0.0.1:${database.port}/postgres`, '--queue', `nats://127.0.0.1:${node.port}`];
  const workers = [1, 2].map(() => start(['worker', ...where, '--threads', '1'], { env }));
  try {
    await Promise.all(workers.map(async (one) => { while (!one.stderr.includes('waits for runs')) await sleep(10); }));
    const [before, written] = [await account(node), Number(database.sql("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))];
    let waiting = { bytes: 0, messages: 0 };
    const look = setInterval(async () => {
      const now = await node.waiting().catch(() => waiting);
      if (now.messages > waiting.messages) waiting = now;
    }, 50);
    const files = await run(input, env, where);
    clearInterval(look);
    const after = await account(node);
    const figures = stored(database);
    return { files, waiting, figures: { ...figures, written: figures.written - written }, messages: after.messages - before.messages, in: after.in - before.in, out: after.out - before.out };
  } finally {
    for (const one of workers) { one.child.kill('SIGTERM'); await one.ended; }
    await database.end();
    await cluster.end();
  }
}

export async function size(report) {
  const rows = [];
  for (const [name, row] of Object.entries(inputs)) {
    const input = await lines(scratch, `size-${name}.jsonl`, kCases, row);
    const { endpoint: one, ...alone } = await against(0, kCases, ({ env }) => run(input, env));
    const { endpoint: two, ...shared } = await against(0, kCases, ({ env }) => distributed(input, env));
    const each = (total) => (total / kCases >= 10 ? whole(total / kCases) : (total / kCases).toFixed(2));
    const { figures, waiting } = shared;
    rows.push([`${name}, ${whole(bytes(input) / kCases)} bytes`, each(alone.journal + alone.results), each(shared.messages), each(shared.in), each(shared.out),
      waiting.messages > 0 ? whole(waiting.bytes / waiting.messages) : 'n/a', each(figures.commits), each(figures.effects), each(figures.outcomes), each(figures.written)]);
    console.log(rows.at(-1).join(', '));
  }
  report.table(`What a case costs over two workers, one call each, ${whole(kCases)} cases: bytes, messages and commits`,
    ['a line', 'one machine: `run.db` + `results.jsonl`', 'messages of NATS', 'bytes in', 'bytes out, its disk included', 'on its disk until acknowledged', 'commits', '`assay_effects`', '`assay_outcomes`', 'written ahead'], rows);
}
