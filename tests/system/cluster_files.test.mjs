// The files for clusters in examples/cluster: Kubernetes' own schemas and types hold for the manifests, shellcheck for the
// scripts, and what they start is started here, against real servers.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { assay, assertNowhere, binary, comparable, exists, ragConfig, ragLines, root, scratch, simulator, start, until, write, writeLines } from './harness.mjs';
import { natsServer } from './nats_server.mjs';
import { postgresServer } from './postgres_server.mjs';

const require = createRequire(import.meta.url);
const examples = join(root, 'examples/cluster');
const manifests = () => parseAllDocuments(readFileSync(join(examples, 'kubernetes.yaml'), 'utf8')).map((document) => {
  assert.deepEqual(document.errors, []);
  return document.toJS();
});
const modelOf = ({ apiVersion, kind }) => {
  const group = { v1: 'v1', 'apps/v1': 'apps/v1', 'batch/v1': 'batch/v1' }[apiVersion];
  return { path: `kubernetes-models/${group}`, name: kind };
};

// By the schemas: types, formats and what must be there.
async function schemaSays(list) {
  for (const one of list) {
    const { path, name } = modelOf(one);
    const { [name]: Model } = await import(path);
    try {
      new Model(one).validate();
    } catch (error) {
      return error.message;
    }
  }
  return '';
}

// By the compiler: keys that Kubernetes does not know, which its schemas let pass.
function compilerSays(t, list) {
  const lines = list.map((one, i) => {
    const { path, name } = modelOf(one);
    return `import type { I${name} as K${i} } from '${path}';\nexport const m${i}: K${i} = ${JSON.stringify(one)};`;
  });
  const file = write(join(root, 'tests/system', `manifests-${process.pid}.ts`), lines.join('\n'));
  t.after(() => spawnSync('rm', ['-f', file]));
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  try {
    return execFileSync(process.execPath, [compiler, '--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', file], { encoding: 'utf8', cwd: join(root, 'tests/system') });
  } catch (error) {
    return error.stdout;
  }
}

test('the manifests are what Kubernetes takes', async (t) => {
  const list = manifests();
  assert.deepEqual(list.map(({ kind }) => kind), ['ConfigMap', 'PersistentVolumeClaim', 'Deployment', 'Job']);
  assert.equal(await schemaSays(list), '');
  assert.equal(compilerSays(t, list), '');
  // Both can say no.
  const wrong = manifests();
  wrong[2].spec.replicas = 'four';
  assert.match(await schemaSays(wrong), /replicas must be integer/);
  const unknown = manifests();
  unknown[3].spec.template.spec.containers[0].imagePullPolcy = 'Always';
  assert.match(compilerSays(t, unknown), /imagePullPolcy/);
  // What belongs together has one name.
  const [config, claim, deployment, job] = list;
  assert.deepEqual(deployment.spec.selector.matchLabels, deployment.spec.template.metadata.labels);
  const volumes = job.spec.template.spec.volumes;
  assert.equal(volumes.find(({ configMap }) => configMap).configMap.name, config.metadata.name);
  assert.equal(volumes.find(({ persistentVolumeClaim }) => persistentVolumeClaim).persistentVolumeClaim.claimName, claim.metadata.name);
  for (const { spec } of [deployment.spec.template, job.spec.template]) {
    const mounted = spec.containers[0].volumeMounts.map(({ name }) => name);
    assert.deepEqual(mounted.sort(), spec.volumes.map(({ name }) => name).sort());
  }
});

test('the config in the manifest is a good one', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'cases.jsonl'), ragLines(3));
  const [config] = manifests();
  write(join(directory, 'eval.yaml'), config.data['eval.yaml'].replace('/evals/', `${directory}/`));
  const check = await assay(['check', join(directory, 'eval.yaml')], { env: { OPENAI_API_KEY: 'test-key-5e0c' } });
  assert.equal(check.code, 0, check.stderr);
});

const kPassword = 'pw-of-the-store-91c';

// What a cluster gives to processes: servers, keys, and a run of some cases.
async function cluster(t, latency = '20ms') {
  const directory = scratch(t);
  const postgres = await postgresServer(t);
  const nats = await natsServer(t);
  const sim = await simulator(t, ['--latency', latency]);
  const config = write(join(directory, 'eval.yaml'), ragConfig(writeLines(join(directory, 'cases.jsonl'), ragLines(30)), 'limits: {concurrency: 4}'));
  const local = join(directory, 'local');
  assert.equal((await assay(['run', config, '--output-dir', local], { env: sim.env })).code, 0);
  // A worker reads its addresses from them when it is begun: they stand in no list of processes.
  const servers = { STORE: postgres.url().replace('postgres@', `postgres:${kPassword}@`), QUEUE: nats.url() };
  const ended = async (process_) => { process_.child.kill('SIGTERM'); return process_.ended; };
  const killed = (process_) => t.after(async () => { process_.child.kill('SIGKILL'); await process_.ended; });
  return { directory, sim, config, local, servers, ended, killed };
}

test('what the manifests start does the run, and no password gets into its files', async (t) => {
  const it = await cluster(t);
  const [, , deployment, job] = manifests().map((one) => one.spec?.template?.spec.containers[0]);
  const env = (container, more) => {
    assert.deepEqual(container.env.map(({ name }) => name), Object.keys(it.servers));
    return { ...it.servers, ...more, PATH: `${it.directory}/bin:${process.env.PATH}` };
  };
  execFileSync('mkdir', [join(it.directory, 'bin')]);
  execFileSync('ln', ['-s', binary, join(it.directory, 'bin/assay')]);
  assert.equal(deployment.command[0], 'assay');
  const worker = start(deployment.command.slice(1), { env: env(deployment, it.sim.env) });
  it.killed(worker);
  const [command, ...args] = job.command.map((word) => word.replaceAll('/evals/', `${it.directory}/`).replaceAll('/config/', `${it.directory}/`));
  const coordinator = () => { const process_ = start(args, { command, env: env(job, { OPENAI_BASE_URL: it.sim.env.OPENAI_BASE_URL }) }); it.killed(process_); return process_; };
  const first = coordinator();
  await until(async () => await it.sim.sent() >= 40);
  assert.equal(worker.child.exitCode, null, worker.stderr);
  assert.ok(!/pw-of-the-store/.test(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })), 'no password is in a process list');
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await coordinator().ended;
  assert.equal(second.code, 0, second.stderr);
  const out = join(it.directory, 'results');
  assert.deepEqual(comparable(join(out, 'results.jsonl')), comparable(join(it.local, 'results.jsonl')));
  assertNowhere(out, kPassword);
  assert.equal((await it.ended(worker)).code, 0);
});

test('the scripts for Slurm are good ones, and do the run', async (t) => {
  const scripts = ['slurm_workers.sh', 'slurm_coordinator.sh'].map((name) => join(examples, name));
  for (const script of scripts) execFileSync('bash', ['-n', script]);
  const checked = spawnSync('shellcheck', scripts, { encoding: 'utf8' });
  assert.equal(checked.error, undefined, 'install the package shellcheck (./dev test does)');
  assert.equal(checked.status, 0, checked.stdout);
  // Slow enough that it is told to stop in its middle.
  const it = await cluster(t, '200ms');
  execFileSync('mkdir', [join(it.directory, 'bin')]);
  execFileSync('ln', ['-s', binary, join(it.directory, 'bin/assay')]);
  const quoted = Object.entries({ ...it.servers, ...it.sim.env }).map(([name, value]) => `export ${name}='${value}'`);
  // What Slurm does with a job that asks to be begun again is written down.
  const requeued = () => (exists(join(it.directory, 'requeued')) ? readFileSync(join(it.directory, 'requeued'), 'utf8') : '');
  write(join(it.directory, 'bin/scontrol'), `#!/bin/sh\necho "$@" >>${it.directory}/requeued\n`);
  chmodSync(join(it.directory, 'bin/scontrol'), 0o755);
  const env = {
    ASSAY_ENVIRONMENT: write(join(it.directory, 'environment'), `${quoted.join('\n')}\n`),
    PATH: `${it.directory}/bin:${process.env.PATH}`, SLURM_CPUS_PER_TASK: '1',
  };
  const workers = [1, 2].map((task) => { const process_ = start([], { command: scripts[0], env: { ...env, SLURM_ARRAY_TASK_ID: String(task), SLURM_JOB_ID: String(task) } }); it.killed(process_); return process_; });
  const coordinator = () => { const process_ = start([it.config, join(it.directory, 'out')], { command: scripts[1], env: { ...env, SLURM_JOB_ID: '7' } }); it.killed(process_); return process_; };
  const first = coordinator();
  await until(async () => await it.sim.sent() >= 40);
  for (const worker of workers) assert.equal(worker.child.exitCode, null, worker.stderr);
  // As Slurm does, some time before its time is up: to the shell alone.
  first.child.kill('SIGUSR1');
  const stopped = await first.ended;
  assert.equal(stopped.code, 130, stopped.stderr);
  assert.equal(requeued(), 'requeue 7\n');
  const second = await coordinator().ended;
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual(comparable(join(it.directory, 'out/results.jsonl')), comparable(join(it.local, 'results.jsonl')));
  workers[0].child.kill('SIGUSR1');
  assert.equal((await workers[0].ended).code, 0);
  // As scancel does.
  assert.equal((await it.ended(workers[1])).code, 0);
  assert.equal(requeued(), 'requeue 7\nrequeue 1\n');
});
