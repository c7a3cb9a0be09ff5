// What the system tests share: the real program, run in directories of their own, and simulated endpoints on
// loopback ports that the system chooses.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, writeFileSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const root = resolve(here, '../..');
export const binary = process.env.ASSAY_BINARY ?? join(root, 'build/assay');

// A directory that goes when the test ends.
export function scratch(t) {
  const directory = mkdtempSync(join(tmpdir(), 'assay-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

// The examples in a directory of the test's own, with the databases that one of them asks for. Gives their place.
export function copiedExamples(directory) {
  const examples = join(directory, 'examples');
  cpSync(join(root, 'examples'), examples, { recursive: true });
  for (const name of ['support', 'control_plane']) {
    const script = join(examples, 'benchmark', name);
    execFileSync('python3', ['-c', 'import sqlite3, sys; sqlite3.connect(sys.argv[2]).executescript(open(sys.argv[1]).read())', `${script}.sql`, `${script}.db`]);
  }
  return examples;
}

// Random numbers of a test: of its name and ASSAY_SEED, or of a new seed that is told, so that a failure can be
// repeated with ASSAY_SEED=… node --test FILE.
export function seeded(t) {
  const seed = Number(process.env.ASSAY_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`drawn with ASSAY_SEED=${seed}`);
  let state = [...t.name].reduce((hash, letter) => Math.imul(hash ^ letter.codePointAt(0), 0x01000193), 0x811c9dc5) ^ seed;
  return {
    // An integer of [low, high]: mulberry32.
    between(low, high) {
      state = (state + 0x6d2b79f5) | 0;
      let bits = Math.imul(state ^ (state >>> 15), state | 1);
      bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
      return low + Math.floor(((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32 * (high - low + 1));
    },
  };
}

// Keys of the developer's own must never be used by a test.
export function cleanEnvironment(extra = {}) {
  const environment = { ...process.env, NO_COLOR: '1', ...extra };
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'OLLAMA_HOST', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK', 'http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    if (!(name in extra)) delete environment[name];
  }
  return environment;
}

export function start(args, { cwd, env = {}, command = binary } = {}) {
  const child = spawn(command, args, { cwd, env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  const result = { child, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => { result.stdout += chunk; });
  child.stderr.on('data', (chunk) => { result.stderr += chunk; });
  result.ended = new Promise((done) => child.on('close', (code, signal) => done({ code, signal, stdout: result.stdout, stderr: result.stderr })));
  return result;
}

export const assay = (args, options) => start(args, options).ended;

// `assay sim` on a free port; stopped when the test ends.
export async function simulator(t, args = []) {
  const process_ = start(['sim', '--port', '0', ...args]);
  const url = await new Promise((found, failed) => {
    const look = () => {
      const line = /listening on (http:\S+)/.exec(process_.stdout);
      if (line) found(line[1]);
    };
    process_.child.stdout.on('data', look);
    process_.child.on('close', () => failed(new Error(`the simulator ended: ${process_.stderr}`)));
  });
  t.after(async () => { process_.child.kill('SIGKILL'); await process_.ended; });
  return {
    url,
    base: `${url}/v1`,
    env: { OPENAI_API_KEY: 'test-key-5e0c', OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'test-key-5e0c', ANTHROPIC_BASE_URL: url },
    stats: async () => (await fetch(`${url}/sim/stats`)).json(),
    // Requests to a model, whatever became of them.
    sent: async () => {
      const { requests } = await (await fetch(`${url}/sim/stats`)).json();
      return Object.entries(requests.by_route).filter(([route]) => /completions|messages/.test(route))
        .reduce((sum, [, byStatus]) => sum + Object.values(byStatus).reduce((a, b) => a + b, 0), 0);
    },
    reset: async () => { await fetch(`${url}/sim/reset`, { method: 'POST' }); },
  };
}

// An endpoint that refuses every connection: no port below 1024 is ever given to a test's own.
export const nobodyThere = { OPENAI_API_KEY: 'test-key-5e0c', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };

export const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
export const readLines = (path) => readFileSync(path, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));
export const write = (path, content) => { writeFileSync(path, content); return path; };
export const writeLines = (path, rows) => write(path, rows.map((row) => JSON.stringify(row)).join('\n') + '\n');
export const exists = existsSync;
// The cases that a report holds: of each its line, and its material if the line does not repeat that.
export const casesInReport = (page) => /id="case-lines">\n([\s\S]*?)<\/script>/.exec(page)[1].trim().split('\n').map((line) => [JSON.parse(line)].flat());
// A secret that stands in no file of the directory.
export function assertNowhere(directory, secret) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) assertNowhere(path, secret);
    else if (readFileSync(path, 'latin1').includes(secret)) throw new Error(`${path} holds ${secret}`);
  }
}
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Until it is so; whether it came to that within a minute, which a busy machine may need.
export async function until(condition) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(25)) if (await condition()) return true;
  return false;
}

// Until the endpoint has been asked so many times more, or the run has ended: the same moment of a run on a slow machine
// and on a fast one, which a time is not.
export async function askedMore(sim, times, run) {
  const wanted = await sim.sent() + times;
  while (await sim.sent() < wanted && (run?.child.exitCode ?? null) === null) await sleep(1);
}

// Judged cases for rag_answers.
export const ragLines = (count) => Array.from({ length: count }, (_, i) => ({
  id: `case-${i}`,
  question: `How do I renew permit number ${i}?`,
  llm_answer: `You renew permit ${i} online. It costs ${i + 5} pounds. Bring your old permit.`,
}));

export const ragConfig = (input, extra = '') => `evaluation: rag_answers
input_path: ${input}
judge: {model: openai/judge-model, temperature: 0}
metrics: [coherence]
n_runs: 1
${extra}`;

// Results without what differs from run to run.
export const comparable = (path) => readLines(path).map(({ latency_ms, usage, ...rest }) => rest);
