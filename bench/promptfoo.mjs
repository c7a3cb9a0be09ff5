// promptfoo, installed with the Node.js that it asks for into a directory of its own, and one evaluation with it: outputs
// that are given (its `echo` provider), each judged by one `llm-rubric`. Its cache, telemetry and search for updates are
// off; its results go to a JSON file and, as always with it, to its own database.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { arch, homedir } from 'node:os';
import { join } from 'node:path';
import { answered, lines } from './inputs.mjs';
import { inDirectory, measure, scratch } from './program.mjs';

const kVersion = '0.123.1';
const kNode = '24.21.0';  // it wants ≥ 22.22

// Installs once per version; gives the commands' paths.
function install() {
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay-bench', `promptfoo-${kVersion}`);
  const nodePackage = `node-linux-${arch()}`;
  const node = join(home, 'node_modules', nodePackage, 'bin/node');
  const package_ = join(home, 'node_modules/promptfoo');
  const installed = join(home, 'installed');
  if (!existsSync(installed)) {
    console.log(`installing promptfoo ${kVersion} and Node.js ${kNode} into ${home}`);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"private": true}\n');
    const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `promptfoo@${kVersion}`, `${nodePackage}@${kNode}`], { cwd: home, encoding: 'utf8' });
    if (npm.error) throw npm.error;
    if (npm.status !== 0) throw new Error(`npm install ended with ${npm.status}\n${npm.stderr.slice(-2000)}`);
    const version = spawnSync(node, [join(package_, entry(package_)), '--version'], { encoding: 'utf8', env: environment(home) });
    if (version.status !== 0) throw new Error(`it is there and does not start\n${version.stderr?.slice(-2000)}`);
    writeFileSync(installed, '');
  }
  return { node, main: join(package_, entry(package_)) };
}

const entry = (package_) => JSON.parse(readFileSync(join(package_, 'package.json'), 'utf8')).bin.promptfoo;

const environment = (state) => ({
  ...process.env, PROMPTFOO_CONFIG_DIR: state, PROMPTFOO_CACHE_ENABLED: 'false', PROMPTFOO_DISABLE_TELEMETRY: '1',
  PROMPTFOO_DISABLE_UPDATE: '1', PROMPTFOO_DISABLE_REMOTE_GENERATION: '1', OPENAI_API_KEY: 'bench',
});

const config = (url, tests) => ({
  prompts: ['{{llm_answer}}'],
  providers: ['echo'],
  defaultTest: {
    options: { provider: { id: 'openai:chat:judge', config: { apiBaseUrl: `${url}/v1`, apiKey: 'bench' } } },
    assert: [{ type: 'llm-rubric', value: 'The answer to "{{question}}" is coherent: one reader can follow it from the first sentence to the last.' }],
  },
  tests: `file://${tests}`,
});

export function promptfoo() {
  const { node, main } = install();
  return {
    label: `promptfoo ${kVersion}, Node.js ${kNode}`,
    async run({ url, count, inFlight }) {
      const tests = await lines(scratch, `promptfoo-${count}.jsonl`, count, (i) => ({ vars: answered(i) }));
      return inDirectory((directory) => {
        mkdirSync(directory);
        const path = join(directory, 'promptfooconfig.json');
        const output = join(directory, 'results.json');
        writeFileSync(path, JSON.stringify(config(url, tests)));
        const run = measure(node, [main, 'eval', '-c', path, '-o', output, '-j', String(inFlight), '--no-cache', '--no-progress-bar', '--no-table'],
          { env: environment(directory), cwd: directory });
        const { successes } = JSON.parse(readFileSync(output, 'utf8')).results.stats;
        if (successes !== count) throw new Error(`promptfoo: ${successes} of ${count} cases succeeded`);
        return run;
      });
    },
  };
}
