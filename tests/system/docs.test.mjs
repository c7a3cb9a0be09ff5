// What README and docs tell people to write and to type works: docs_blocks.mjs says how each block is understood. Files
// that a page speaks of and does not show are in docs/all and docs/PAGE; docs/PAGE/setup.sh makes what commands have
// to find there. Whatever asks a provider asks the simulator.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { availableParallelism } from 'node:os';
import { binary, cleanEnvironment, root, scratch, simulator, write } from './harness.mjs';
import { blocksOf, configsOf, isJson } from './docs_blocks.mjs';
import { natsServer } from './nats_server.mjs';
import { postgresServer } from './postgres_server.mjs';

const here = join(root, 'tests/system/docs');
const evaluations = ['benchmark', 'custom', 'experiment', 'guidelines', 'jailbreak_guardrails', 'output_guardrails', 'persona', 'question_router', 'rag_answers', 'retrieval', 'topic_tagger'];
const aboutCustom = ['custom_programs', 'custom_statistics', 'metrics', 'from_promptfoo'];
// Generated pages are compared with what generates them elsewhere; stats.md with what its commands print (stats.test.mjs).
const elsewhere = ['config.md', 'stats.md'];

const pages = [join(root, 'README.md'), ...readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && !elsewhere.includes(name)).map((name) => join(root, 'docs', name))];

// Variables that configs of the docs take from the environment.
const variables = { ROUTER_TOKEN: 't', SCORER_TOKEN: 't', DDN_TOKEN: 't', WEATHER_KEY: 't', BILLS_PASSWORD: 't', CACHE_PASSWORD: 't', LOCAL_KEY: 't', STORE_PASSWORD: 't', QUEUE_PASSWORD: 't', PROMPTQL_SECRET_KEY: 't', PROMPTQL_API_KEY: 't', BROWSER: 'true', CI_COMMIT: 'abc123', ROOT: root, ASSAY: binary };

// Stands in for `assay`: servers go to the background until the page is done, on a port that is free; a gate that fails,
// a case that ends in error and an import that leaves something out are answers, but for recipes. And for ./dev, of which only the words are looked at.
const shim = `#!/usr/bin/env bash
case "$1 $*" in
  "run run examples/experiment/experiment.yaml"*) set -- check examples/experiment/experiment.yaml ;;  # a minute; the demo runs it
  demo*) # has a test of its own; here what it leaves behind
    mkdir -p "$3/examples" && cp -r examples/benchmark "$3/examples/" && cd "$3/examples/benchmark" &&
      for name in support control_plane; do sqlite3 $name.db <$name.sql || exit; done
    exit ;;
  *--new-token*|*--help*|*--dry-run*) exec "$REAL" "$@" ;;
  worker*) "$REAL" "$@" >"$PAGE/worker.log" 2>&1 & exit 0 ;;
  serve*|view*|sim*)
    if [ -f "$PAGE/server" ]; then kill "$(cat "$PAGE/server")" 2>/dev/null
      for _ in {1..100}; do kill -0 "$(cat "$PAGE/server")" 2>/dev/null || break; sleep 0.02; done
    fi
    case " $* " in *" --port "*) ;; *) set -- "$@" --port "$SERVE_PORT" ;; esac
    : >"$PAGE/server.log"  # here: in the background it may be done after the look below
    "$REAL" "$@" >"$PAGE/server.log" 2>&1 & echo $! >"$PAGE/server"
    until grep -q 'http://' "$PAGE/server.log"; do kill -0 $! || { cat "$PAGE/server.log" >&2; exit 2; }; sleep 0.02; done
    exit 0 ;;
esac
"$REAL" "$@"
code=$?
case "$1 $code" in "compare 1"|"import 3$RECIPE") exit 0 ;; esac
for name in run score resume stress ${evaluations.join(' ')}; do case "$1 $code" in "$name 1"|"$name 3$RECIPE") exit 0 ;; esac; done
exit $code
`;
const devShim = `#!/usr/bin/env bash
grep -q "^./dev $1 " "${root}/dev" || { echo "./dev has no command $1" >&2; exit 1; }
`;

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => { const { port } = server.address(); server.close(() => found(port)); });
  });
}

const bash = (script, directory, env) => new Promise((done) => {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const tooLong = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 60_000);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { said += chunk; });
  child.on('exit', (code) => { clearTimeout(tooLong); setTimeout(() => done({ code, said, group: child.pid }), 10); });
});

// Servers of the test's own where commands of the page name some.
async function serversOf(t, page) {
  if (!['distribution', 'service'].includes(page)) return { env: {}, placed: (text) => text };
  const postgres = await postgresServer(t);
  const url = postgres.url('postgres', 'evals');
  if (page === 'distribution') postgres.sql('CREATE DATABASE evals');  // on the other page a command makes it
  const queue = page === 'distribution' ? (await natsServer(t)).url() : '';
  return {
    env: { PGHOST: new URL(url.replace('@/', '@x/')).searchParams.get('host'), PGUSER: 'postgres' },
    placed: (text) => text.replaceAll(/postgres:\/\/assay@db\.example(\.org)?\/evals/g, url).replaceAll('nats://queue.example.org:4222', queue),
  };
}

function furnish(directory, page) {
  for (const name of readdirSync(join(root, 'examples/components')).filter((file) => file.endsWith('.jsonl'))) cpSync(join(root, 'examples/components', name), join(directory, name));
  symlinkSync(join(root, 'examples'), join(directory, 'examples'));
  for (const folder of ['all', page]) if (existsSync(join(here, folder))) cpSync(join(here, folder), directory, { recursive: true });
  mkdirSync(join(directory, 'build'));
  chmodSync(write(join(directory, 'build/assay'), shim), 0o755);
  chmodSync(write(join(directory, 'dev'), devShim), 0o755);
}

async function tryPage(t, page, blocks, sim) {
  const directory = scratch(t);
  furnish(directory, page);
  const [servePort, simPort] = [await freePort(), await freePort()];
  const servers = await serversOf(t, page);
  const env = cleanEnvironment({ ...sim.env, ...variables, ...servers.env, PATH: `${directory}/build:${process.env.PATH}`, REAL: binary, PAGE: directory, SERVE_PORT: String(servePort), RECIPE: page === 'cookbook' ? 'never' : '' });
  const evaluation = evaluations.includes(page) ? page : aboutCustom.includes(page) ? 'custom' : page === 'targets' ? 'question_router' : 'rag_answers';
  const smallest = (name) => readFileSync(join(directory, `smallest_${name}.yaml`), 'utf8');
  const groups = [];
  t.after(() => { for (const group of groups) { try { process.kill(-group, 'SIGKILL'); } catch { /* all have ended */ } } });
  const failures = [];
  const onPorts = (text) => servers.placed(text).replaceAll('8080', servePort).replaceAll('8099', simPort);
  const run = async (script, where) => {
    // Variables of one block are there in the next.
    const ended = await bash(`set -a; [ ! -f "$PAGE/state" ] || . "$PAGE/state"; trap 'export -p >"$PAGE/state"' EXIT\n${script}`, directory, env);
    groups.push(ended.group);
    if (ended.code !== 0) failures.push(`${where}: exit code ${ended.code}\n${script}\n${ended.said.slice(-1500)}`);
  };
  if (existsSync(join(directory, 'setup.sh'))) await run('. ./setup.sh', `${page}/setup.sh`);
  for (const { file, body } of blocks.filter((block) => block.file)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    chmodSync(write(join(directory, file), onPorts(body)), body.startsWith('#!') ? 0o755 : 0o644);
  }
  for (const block of blocks) {
    if (block.skipped) continue;
    if (block.language === 'json' && !isJson(block.body)) failures.push(`${block.where}: this is not JSON:\n${block.body}`);
    if (block.language === 'yaml' && block.how !== 'file') {
      const about = /^of (\w+)$/.exec(block.how)?.[1] ?? evaluation;
      const names = configsOf(block, about, smallest).map((config, i) => basename(write(join(directory, `block-${i}.yaml`), config)));
      await run(names.map((name) => `assay check ${name} || { cat ${name}; exit 1; }`).join('\n'), block.where);
    }
    if (block.language === 'sh') {
      const script = onPorts(block.body).replace(/ &$/gm, '').replaceAll('=…', '=any').replaceAll('assay_…', 'assay_0')
        .replace(/^curl -sN .*$/gm, 'timeout 1 $& || [ $? = 124 ]');  // a stream does not end
      await run(script, block.where);
    }
  }
  assert.deepEqual(failures, [], failures.join('\n\n'));
}

test('what README and docs show can be written and typed', { concurrency: availableParallelism() }, async (t) => {
  const sim = await simulator(t);
  const only = process.env.ASSAY_PAGE;
  await Promise.all(pages.filter((path) => !only || basename(path, '.md') === only).flatMap((path) => {
    const page = basename(path, '.md');
    const blocks = blocksOf(path.slice(root.length + 1), readFileSync(path, 'utf8'));
    // Each recipe of the cookbook stands by itself.
    const sections = page === 'cookbook' ? [...new Set(blocks.map((block) => block.section))] : [null];
    return sections.map((section) => t.test(section ? `${page}: ${section}` : page, (u) => tryPage(u, page, blocks.filter((block) => section === null || block.section === section), sim)));
  }));
});
