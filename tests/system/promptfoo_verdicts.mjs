// What the real promptfoo says of the suite in tests/data/promptfoo, written to verdicts.json there, which import.test.mjs
// compares with. Not part of the tests: it installs promptfoo and the Node.js that it asks for from npm (half a gigabyte)
// into ~/.cache/assay-promptfoo. To be run after a change of the suite, its answers or the simulator:
//
//   node tests/system/promptfoo_verdicts.mjs
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySuite, prompts, providers, script, suite } from './promptfoo_suite.mjs';
import { startSim } from './sim_process.mjs';

const kVersion = '0.123.1';
const kNode = '24.21.0';  // it wants ≥ 22.22

const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay-promptfoo', `promptfoo-${kVersion}`);
const node = join(home, 'node_modules', `node-linux-${arch()}`, 'bin/node');
const main = join(home, 'node_modules/promptfoo/dist/src/entrypoint.js');

function install() {
  if (existsSync(node) && existsSync(main)) return;
  console.log(`installing promptfoo ${kVersion} and Node.js ${kNode} into ${home}`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"private": true}\n');
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `promptfoo@${kVersion}`, `node-linux-${arch()}@${kNode}`],
    { cwd: home, stdio: 'inherit' });
  if (npm.error) throw npm.error;
  if (npm.status !== 0) throw new Error(`npm install ended with ${npm.status}`);
}

// Its cache, telemetry and search for updates are off.
function evaluate(config, output, state) {
  const run = spawnSync(node, [main, 'eval', '-c', config, '-o', output, '-j', '4', '--no-cache', '--no-progress-bar', '--no-table'], {
    cwd: state, encoding: 'utf8', maxBuffer: 1 << 28,
    env: {
      ...process.env, PROMPTFOO_CONFIG_DIR: state, PROMPTFOO_CACHE_ENABLED: 'false', PROMPTFOO_DISABLE_TELEMETRY: '1', PROMPTFOO_DISABLE_UPDATE: '1',
      PROMPTFOO_DISABLE_REMOTE_GENERATION: '1', OPENAI_API_KEY: 'test', OPENAI_BASE_URL: '',
    },
  });
  // 100: it ran, and tests failed.
  if (run.status !== 0 && run.status !== 100) throw new Error(`promptfoo ended with ${run.status}\n${run.stderr}\n${run.stdout.slice(-3000)}`);
  return JSON.parse(readFileSync(output, 'utf8')).results.results;
}

// By the first line of what was sent.
const firstLine = (name) => readFileSync(join(suite, `prompts/${name}.txt`), 'utf8').split('\n')[0];
const promptOf = (sent) => prompts.find((name) => firstLine(name) === sent.split('\n')[0]);

install();
const directory = mkdtempSync(join(tmpdir(), 'assay-promptfoo-'));
const sims = [];
try {
  const urls = {};
  for (const name of providers) {
    const path = join(directory, `${name}.jsonl`);
    writeFileSync(path, script(name));
    sims.push(await startSim('--script', path));
    urls[name] = sims.at(-1).url;
  }
  sims.push(await startSim('--noise', '0'));
  urls.judge = sims.at(-1).url;
  const config = copySuite(join(directory, 'suite'), urls);
  const results = evaluate(config, join(directory, 'results.json'), directory);
  const rows = results.map((row) => ({
    id: String(row.testIdx + 1), prompt: promptOf(row.prompt.raw), provider: row.provider.label, output: row.response?.output,
    pass: row.success, asserts: row.gradingResult.componentResults.map(({ pass, assertion }) => ({ type: assertion.type, pass })),
  }));
  const order = (row) => [Number(row.id), prompts.indexOf(row.prompt), providers.indexOf(row.provider)];
  rows.sort((a, b) => order(a).reduce((sum, value, i) => sum || value - order(b)[i], 0));
  const text = rows.map((row) => JSON.stringify(row)).join(',\n');
  writeFileSync(join(suite, 'verdicts.json'), `{"promptfoo": "${kVersion}", "rows": [\n${text}\n]}\n`);
  console.log(`${rows.length} rows, ${rows.filter((row) => row.pass).length} passed`);
} finally {
  for (const sim of sims) await sim.stop();
  rmSync(directory, { recursive: true, force: true });
}
