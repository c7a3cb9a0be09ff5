// The tools of assay benchmark, used by a scripted model through the real program: SQL, HTTP, real servers of the Model
// Context Protocol and broken ones, Python in its sandbox.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import YAML from 'yaml';
import { assay, simulator, scratch, write, writeLines, exists, root, assertNowhere } from './harness.mjs';

const kServers = join(root, 'tests/system/node_modules/@modelcontextprotocol');
const kFile = 'ask-tool_calling-openai-m-variation0.yaml';
const kPythonFile = 'ask-tool_calling_python-openai-m-variation0.yaml';

// Lets a scripted model make the calls, one turn for each list of them, and gives back their results in order.
async function use(t, tools, turns, { system = 'tool_calling', env = {}, prepare = () => {}, code = 0, results = true } = {}) {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  prepare(directory);
  write(join(directory, 'tasks/ask.yaml'), YAML.stringify({ tool_calling_prompt: 'answer', variations: [{ expected_output: ['ok'] }] }));
  write(join(directory, 'eval.yaml'), YAML.stringify({ evaluation: 'benchmark', input_dir: 'tasks', system, model: 'openai/m', tools: tools(directory) }));
  const script = writeLines(join(directory, 'script.jsonl'), [
    ...turns.map((calls) => ({ times: 1, reply: { tool_calls: calls.map(([name, args]) => ({ name, arguments: args })) } })),
    { reply: { text: '```json\n["ok"]\n```' } },
  ]);
  const sim = await simulator(t, ['--script', script]);
  const output = join(directory, 'out');
  const run = await assay(['run', join(directory, 'eval.yaml'), '--output-dir', output], { cwd: directory, env: { ...sim.env, ...env } });
  assert.equal(run.code, code, run.stderr + (exists(join(output, 'problems.log')) ? readFileSync(join(output, 'problems.log'), 'utf8') : ''));
  if (!results) return { output, directory, run, sim };
  const file = YAML.parse(readFileSync(join(output, system === 'tool_calling' ? kFile : kPythonFile), 'utf8'));
  return { results: file.conversation.filter((entry) => entry.tool_call).map(({ tool_call }) => tool_call.result), file, output, directory, run, sim };
}

const sqlite = (path, script) => {
  const made = spawnSync('/usr/bin/python3', ['-c', 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])', path, script]);
  assert.equal(made.status, 0, String(made.stderr));
};

test('sql: rows as objects; writes, several statements, a query without end and a million rows are refused or capped', async (t) => {
  const { results, directory } = await use(t,
    (here) => [{ name: 'query', kind: 'sql', database: `sqlite:${join(here, 'data.db')}`, description: 'asks', max_rows: 10, timeout: '2s' }],
    [['SELECT id, name FROM ticket ORDER BY id', 'DELETE FROM ticket', 'SELECT 1; DELETE FROM ticket', "ATTACH '/tmp/x.db' AS x",
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n',
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000) SELECT i FROM n', 'SELEC 1'].map((sql) => ['query', { sql }])],
    { prepare: (here) => sqlite(join(here, 'data.db'), "CREATE TABLE ticket(id INTEGER, name TEXT); INSERT INTO ticket VALUES (1, 'a'), (2, NULL);") });
  assert.deepEqual(results[0], [{ id: 1, name: 'a' }, { id: 2, name: null }]);
  for (const refused of results.slice(1, 4)) assert.ok(refused.error, JSON.stringify(refused));
  assert.match(results[4].error, /within 2/);
  assert.equal(results[5].rows.length, 10);
  assert.match(results[5].truncated, /10/);
  assert.match(results[6].error, /syntax/);
  sqlite(join(directory, 'data.db'), "SELECT CASE WHEN count(*) = 2 THEN 1 ELSE json('broken') END FROM ticket;");
});

test('a secret that a program or a server of the Model Context Protocol repeats is hidden from the model and the files', async (t) => {
  const secret = 'tickets-key-4711';
  const server = join(root, 'tests/tools/mcp_server.mjs');
  const { results, output } = await use(t, () => [
    { name: 'prints', kind: 'command', command: ['sh', '-c', 'printf \'{"key": "%s"}\' "$KEY"'], environment: { KEY: '${TICKETS_KEY}' } },
    { name: 'fails', kind: 'command', command: ['sh', '-c', 'echo "not with $KEY" >&2; exit 1'], environment: { KEY: '${TICKETS_KEY}' } },
    { name: 'server', kind: 'mcp', command: ['node', server, '--leaky'], environment: { KEY: '${TICKETS_KEY}' } },
  ], [[['prints', {}], ['fails', {}], ['repeats', { name: 'KEY' }], ['repeats_and_fails', { name: 'KEY' }]]], { env: { TICKETS_KEY: secret } });
  assert.deepEqual(results[0], { key: '[hidden]' });
  assert.match(results[1].error, /not with \[hidden\]/);
  assert.equal(results[2], 'it is [hidden]');
  assert.equal(results[3].error, 'refused: [hidden]');
  assertNowhere(output, secret);
});

test('http: arguments go into the address, the query or the body; secrets stay secret', async (t) => {
  const seen = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, key: request.headers['x-key'], body });
      if (request.url.startsWith('/text')) response.end('plain words');
      else if (request.url.startsWith('/broken')) { response.statusCode = 500; response.end('no'); } else response.end('{"found": 3}');
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}`;
  const parameters = { type: 'object', properties: { id: { type: 'string' }, more: { type: 'string' } } };
  const { results, output } = await use(t, () => [
    { name: 'get', kind: 'http', method: 'GET', url: `${url}/item/{id}`, headers: { 'X-Key': '${SERVICE_KEY}' }, description: 'gets', parameters },
    { name: 'post', kind: 'http', url: `${url}/post`, description: 'posts', parameters },
    { name: 'text', kind: 'http', method: 'GET', url: `${url}/text`, description: 'reads' },
    { name: 'broken', kind: 'http', url: `${url}/broken`, description: 'breaks' },
  ], [[['get', { id: 'a b/c', more: 'x&y' }], ['post', { id: '7' }], ['text', {}], ['broken', {}]]], { env: { SERVICE_KEY: 'hush-hush-42' } });
  assert.deepEqual(results.slice(0, 3), [{ found: 3 }, { found: 3 }, 'plain words']);
  assert.match(results[3].error, /500/);
  const get = seen.find(({ method }) => method === 'GET');
  assert.equal(get.url, '/item/a%20b%2Fc?more=x%26y');
  assert.equal(get.key, 'hush-hush-42');
  assert.equal(seen.find(({ url: path }) => path === '/post').body, '{"id":"7"}');
  assert.equal(seen.filter(({ url: path }) => path === '/broken').length, 1, 'a tool is never tried twice');
  assertNowhere(output, 'hush-hush');
});

test('http: no argument leads out of the declared path, and a missing one is not sent', async (t) => {
  const seen = [];
  const server = createServer((request, response) => { seen.push(`${request.method} ${request.url}`); response.end('{}'); });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${server.address().port}/tickets/{a}/{b}`;
  const steps = ['..', '.', '%2e%2e', '../..', '..\\x', '..;'];
  const { results, output } = await use(t,
    () => [{ name: 'remove', kind: 'http', method: 'DELETE', url, headers: { 'X-Key': '${SERVICE_KEY}' }, description: 'removes', parameters: { type: 'object' } }],
    [[...steps.map((a) => ['remove', { a, b: 'users' }]), ['remove', { a: '..', b: '..' }], ['remove', { b: '7' }], ['remove', { a: '', b: '7' }], ['remove', { a: '1.5', b: '7' }]]],
    { env: { SERVICE_KEY: 'hush-hush-42' } });
  assert.deepEqual(seen, ['DELETE /tickets/1.5/7']);
  for (const refused of results.slice(0, 7)) assert.match(refused.error, /out of the declared path/);
  assert.match(results[7].error, /a is missing/);
  assert.match(results[8].error, /a is empty/);
  assertNowhere(output, 'hush-hush');
});

test('command: in the sandbox a program sees its own file, its input and what it is given, and nothing else of ours', async (t) => {
  const { results } = await use(t, (here) => [
    { name: 'probe', kind: 'command', command: ['./probe.sh'], sandbox: 'bubblewrap', environment: { KEY: '${PROBE_KEY}' }, description: 'probes' },
    { name: 'reads', kind: 'command', command: ['sh', '-c', 'printf \'"%s"\' "$(cat "$0")"', join(here, 'mine.txt')], sandbox: 'bubblewrap', readable: [join(here, 'mine.txt')], description: 'reads' },
    { name: 'fails', kind: 'command', command: ['sh', '-c', 'echo no >&2; exit 3'], sandbox: 'bubblewrap', description: 'fails' },
  ], [[['probe', { a: 1 }], ['reads', {}], ['fails', {}]]], {
    env: { PROBE_KEY: 'pr0be-key' },
    prepare: (here) => {
      chmodSync(here, 0o755);  // as root the program runs as nobody
      write(join(here, 'mine.txt'), 'shown');
      write(join(here, 'probe.sh'), `#!/bin/sh
read -r given
[ "$KEY" = pr0be-key ] && key=yes
python3 -c 'import ctypes; exit(ctypes.CDLL(None).syscall(250, 1, None) != -1)' && filtered=yes
printf '{"given": %s, "key": "%s", "file": "%s", "filtered": "%s", "here": "%s", "interfaces": "%s"}' "$given" "$key" "$(cat ${here}/mine.txt 2>&1 | tail -c 26)" "$filtered" "$PWD" "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')"
`);
      chmodSync(join(here, 'probe.sh'), 0o755);
    } });
  assert.deepEqual(results[0], { given: { a: 1 }, key: 'yes', file: 'No such file or directory', filtered: 'yes', here: '/tmp', interfaces: 'lo' });
  assert.equal(results[1], 'shown');
  assert.match(results[2].error, /^exit code 3: no$/);
});

test('a secret that is written into a tool is refused before anything runs', async (t) => {
  const { run, output } = await use(t, () => [
    { name: 'one', kind: 'http', url: 'https://me:pa55-word@example.org/x', description: 'x' },
    { name: 'two', kind: 'http', url: 'https://example.org/x', headers: { Authorization: 'Bearer pa55-word' }, description: 'x' },
    { name: 'three', kind: 'command', command: ['true'], environment: { DB_PASSWORD: 'pa55-word' }, description: 'x' },
  ], [], { code: 2, results: false });
  assert.match(run.stderr, /tools\[0\]: url: .*\$\{NAME\}/);
  assert.match(run.stderr, /tools\[1\]: headers\.Authorization: /);
  assert.match(run.stderr, /tools\[2\]: environment\.DB_PASSWORD: /);
  assert.ok(!run.stderr.includes('pa55-word'));
  assert.ok(!exists(output));
});

test('mcp: the filesystem and everything servers list and run their tools', async (t) => {
  const { results, file } = await use(t, (here) => [
    { name: 'files', kind: 'mcp', command: ['node', join(kServers, 'server-filesystem/dist/index.js'), join(here, 'data')], only: ['read_text_file', 'list_directory', 'write_file'] },
    { name: 'everything', kind: 'mcp', command: ['node', join(kServers, 'server-everything/dist/index.js'), 'stdio'], only: ['echo', 'get-sum'] },
  ], [
    [['list_directory', { path: '.' }], ['echo', { message: 'hello' }], ['get-sum', { a: 2, b: 3 }]],
    [['read_text_file', { path: 'note.txt' }], ['read_text_file', { path: '/etc/passwd' }], ['echo', {}], ['edit_file', {}]],
  ], { prepare: (here) => { mkdirSync(join(here, 'data')); write(join(here, 'data/note.txt'), 'from the disk'); } });
  assert.match(results[0], /note\.txt/);
  assert.match(results[1], /hello/);
  assert.match(results[2], /5/);
  assert.equal(results[3], 'from the disk');
  assert.match(results[4].error, /denied|outside/);
  assert.match(results[5].error, /message/, 'arguments are checked against the schema of the server');
  assert.match(results[6].error, /there is no tool edit_file/);
  assert.equal(file.score, 1);
});

test('mcp: a server that crashes, hangs or talks rubbish costs one call, and sees no keys of ours', async (t) => {
  const server = join(root, 'tests/tools/mcp_server.mjs');
  const { results, file } = await use(t, () => [
    { name: 'odd', kind: 'mcp', command: ['node', server], timeout: '5s', environment: { GIVEN: '${SERVICE_KEY}' } },
  ], [
    [['echo', { n: 1 }]], [['crash', {}]], [['echo', { n: 2 }]], [['hang', {}]], [['echo', { n: 3 }]],
  ], { env: { SERVICE_KEY: 'for-the-server' } });
  assert.equal(results[0], '{"n":1}');
  assert.ok(results[1].error);
  assert.equal(results[2], '{"n":2}', 'it was started again');
  assert.match(results[3].error, /within 5|5.0 s/);
  assert.equal(results[4], '{"n":3}');
  assert.equal(file.score, 1);
});

// Four runs, each of which asks its server twice who it is, and one of which makes it crash between. With `together`,
// no server answers before so many have been there at once, and each leaves time for one more to come.
async function whoServes(t, { together = 0, ...more }) {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const names = ['one', 'two', 'three', 'four'];
  write(join(directory, 'tasks/ask.yaml'), YAML.stringify({ tool_calling_prompt: 'answer {q}', variations: names.map((q) => ({ q, expected_output: ['ok'] })) }));
  write(join(directory, 'eval.yaml'), YAML.stringify({ evaluation: 'benchmark', input_dir: 'tasks', system: 'tool_calling', model: 'openai/m', ...more,
    tools: [{ name: 'odd', kind: 'mcp', command: ['node', join(root, 'tests/tools/mcp_server.mjs'), '--who', '--together', `${together}`, '--note', join(directory, 'servers.log')], ...more.tool }], tool: undefined }));
  const sim = await simulator(t, ['--script', writeLines(join(directory, 'script.jsonl'), [
    { match: 'answer one', in: 'conversation', times: 1, reply: { tool_calls: [{ name: 'crash', arguments: {} }] } },
    ...names.flatMap((q) => Array.from({ length: 2 }, () => ({ match: `answer ${q}`, in: 'conversation', times: 1, reply: { tool_calls: [{ name: 'pid', arguments: {} }] } }))),
    { reply: { text: '```json\n["ok"]\n```' } },
  ])]);
  const output = join(directory, 'out');
  const run = await assay(['run', join(directory, 'eval.yaml'), '--output-dir', output], { cwd: directory, env: sim.env });
  assert.equal(run.code, 0, run.stderr);
  const most = Math.max(...readFileSync(join(directory, 'servers.log'), 'utf8').match(/^=\d+$/gm).map((line) => Number(line.slice(1))));
  const served = names.map((_, i) => YAML.parse(readFileSync(join(output, `ask-tool_calling-openai-m-variation${i}.yaml`), 'utf8')).conversation
    .filter((entry) => entry.tool_call?.name === 'pid').map(({ tool_call }) => tool_call.result));
  return { served, most };
}

test('mcp: each run has a server of its own, which no other run can crash or change, and no more of them than allowed', async (t) => {
  const { served, most } = await whoServes(t, { max_servers: 2, together: 2 });
  assert.equal(most, 2);
  for (const pids of served) assert.equal(pids[0], pids[1], 'one server for all calls of a run');
  assert.equal(new Set(served.map(([pid]) => pid)).size, 4, 'and another for each run');
  for (const pid of served.flat()) assert.throws(() => process.kill(Number(pid), 0), 'all are gone');
});

test('mcp: a server that is declared shared serves all runs', async (t) => {
  const { served, most } = await whoServes(t, { limits: { concurrency: 1 }, tool: { shared: true } });
  assert.ok(new Set(served.flat()).size <= 2, 'one, and another after its crash');
  assert.equal(most, 1);
});

test('mcp: a server that cannot be started fails the run with its words', async (t) => {
  const { file } = await use(t, () => [{ name: 'gone', kind: 'mcp', command: ['node', join(root, 'tests/tools/mcp_server.mjs'), '--die'] }], [], { code: 3 });
  assert.match(file.conversation.at(-1).error, /cannot open the database/);
});

test('a command tool sees no keys of ours, only what its declaration gives', async (t) => {
  const { results } = await use(t, (here) => [{ name: 'env', kind: 'command', command: [join(here, 'env.sh')], description: 'shows', environment: { GIVEN: '${SERVICE_KEY}' } }],
    [[['env', {}]]], { env: { SERVICE_KEY: 'for-the-tool', OTHER_SECRET: 'not-for-it' }, prepare: (here) => {
      write(join(here, 'env.sh'), '#!/bin/bash\nenv | sort | node -e \'let s="";process.stdin.on("data",d=>s+=d).on("end",()=>console.log(JSON.stringify(s)))\'\n');
      chmodSync(join(here, 'env.sh'), 0o755);
    } });
  assert.match(results[0], /GIVEN=\[hidden\]/, 'it has it, and what it shows of it is hidden');
  assert.doesNotMatch(results[0], /not-for-it|OPENAI_API_KEY|test-key/);
});

const kAttempts = {
  works: 'print(sum(range(10)))',
  network: 'import socket\nsocket.create_connection(("127.0.0.1", PORT), 2)',
  write: 'open("/usr/evil", "w")',
  host_file: 'print(open("SECRET_FILE").read())',
  environment: 'import os\nprint(sorted(os.environ))',
  fork_bomb: 'import os\nwhile True: os.fork()',
  memory: 'x = bytearray(8 << 30)',
  endless: 'while True: pass',
  output: 'import sys\nfor _ in range(1024): sys.stdout.write("x" * (1 << 20))',
};

test('python: each attempt to do harm is contained, and the run goes on', async (t) => {
  let reached = 0;
  const server = createServer((request, response) => { reached += 1; response.end(); });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  const secret = write(join(scratch(t), 'secret.txt'), 'the host\'s secret');
  const programs = Object.values(kAttempts).map((text) => text.replace('PORT', server.address().port).replace('SECRET_FILE', secret));
  const { results, file, run } = await use(t, () => [{ name: 'execute_python_program', kind: 'python', timeout: '10s', cpu: '2s', memory_mb: 256 }],
    [programs.map((pythonCode) => ['execute_python_program', { pythonCode }])], { system: 'tool_calling_python', env: { OTHER_SECRET: 'not-for-it' } });
  const by = Object.fromEntries(Object.keys(kAttempts).map((name, i) => [name, results[i]]));
  assert.deepEqual(by.works, { stdout: '45\n', stderr: '', exitCode: 0 }, JSON.stringify(by.works));
  assert.notEqual(by.network.exitCode, 0);
  assert.equal(reached, 0, 'not even loopback');
  assert.match(by.write.stderr, /Read-only|Permission/);
  assert.match(by.host_file.stderr, /No such file/);
  assert.doesNotMatch(JSON.stringify(by.environment), /OTHER_SECRET|OPENAI_API_KEY|not-for-it/);
  assert.ok(by.fork_bomb.error !== undefined || by.fork_bomb.exitCode !== 0);
  assert.match(JSON.stringify(by.memory), /MemoryError/);
  assert.ok(by.endless.error !== undefined || by.endless.exitCode !== 0);
  assert.ok(by.output.error, 'too much output is an error');
  assert.ok(!exists('/usr/evil'));
  assert.equal(file.score, 1);
  assert.equal(run.code, 0);
});

test('python: without bubblewrap the tool refuses and says why; with `sandbox: none` it runs', async (t) => {
  const path = scratch(t);
  for (const name of ['node', 'bash', 'sh', 'env', 'prlimit', 'setpriv']) spawnSync('ln', ['-s', spawnSync('which', [name]).stdout.toString().trim(), join(path, name)]);
  const once = [[['execute_python_program', { pythonCode: 'print(1)' }]]];
  const refused = await use(t, () => [], once, { system: 'tool_calling_python', env: { PATH: path } });
  assert.match(refused.results[0].error, /bwrap|bubblewrap/);
  assert.match(readFileSync(join(refused.output, 'problems.log'), 'utf8'), /warning: .*execute_python_program could not be used/);
  const open = await use(t, () => [{ name: 'execute_python_program', kind: 'python', sandbox: 'none', python: '/usr/bin/python3' }], once, { system: 'tool_calling_python', env: { PATH: path } });
  assert.deepEqual(open.results[0], { stdout: '1\n', stderr: '', exitCode: 0 });
});

test('check finds every program, file and variable that a tool needs and that is not there, the tools of tasks too', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const task = (tools) => YAML.stringify({ tool_calling_prompt: 'answer', variations: [{ expected_output: ['ok'] }], tools });
  const config = (tools, more = {}) => YAML.stringify({ evaluation: 'benchmark', input_dir: 'tasks', system: 'tool_calling', model: 'sim/m', tools, ...more });
  write(join(directory, 'tasks/own.yaml'), task([
    { name: 'mine', kind: 'command', command: ['python3', 'no_script.py'] },
    { name: 'hidden', kind: 'sql', database: 'sqlite:here.db' },
  ]));
  write(join(directory, 'tasks/plain.yaml'), task([]));
  write(join(directory, 'eval.yaml'), config([
    { name: 'program', kind: 'command', command: ['nope-prog'] },
    { name: 'server', kind: 'mcp', command: ['nope-mcp'], environment: { X: '${NOPE_X}' } },
    { name: 'service', kind: 'http', url: 'http://127.0.0.1:9/x', headers: { A: '${NOPE_HEADER}' } },
    { name: 'server_db', kind: 'sql', database: 'postgres://u:${NOPE_PASSWORD}@127.0.0.1/d' },
    { name: 'hidden', kind: 'sql', database: 'sqlite:nope.db' },
    { name: 'fenced', kind: 'command', command: ['nope-fenced'], sandbox: 'bubblewrap', readable: ['/nope/data'] },
    { name: 'there', kind: 'command', command: ['sh', '-c', 'true'], environment: { HOME2: '${HOME}' } },
    { name: 'code', kind: 'python', python: 'nope-python' },
  ]));
  const withPython = await assay(['check', 'eval.yaml', '--system', 'tool_calling_python'], { cwd: directory });
  assert.match(withPython.stderr, /tools\[7\]\.python: in the sandbox there is no program nope-python in PATH/);
  const run = await assay(['check', 'eval.yaml'], { cwd: directory });
  assert.equal(run.code, 2, run.stdout);
  for (const words of [
    /eval\.yaml, line \d+, column \d+, tools\[0\]\.command: there is no program nope-prog in PATH/,
    /tools\[1\]\.command: there is no program nope-mcp in PATH/,
    /NOPE_X: is not set/, /NOPE_HEADER: is not set/, /NOPE_PASSWORD: is not set/,
    /tools\[4\]\.database: there is no file \S*nope\.db/,
    /tools\[5\]\.readable: there is no \/nope\/data/,
    /tools\[5\]\.command: in the sandbox there is no program nope-fenced in PATH/,
    /input_dir: \S*tasks\/own\.yaml: tools\[0\]\.command: there is no file \S*no_script\.py for python3 to run/,
    /input_dir: \S*tasks\/own\.yaml: tools\[1\]\.database: there is no file \S*here\.db/,
  ]) assert.match(run.stderr, words);
  assert.doesNotMatch(run.stderr, /tools\[6\]|HOME|nope-python/, 'what is there, and what only the system with Python uses');
  assert.equal((await assay(['run', 'eval.yaml', '--output-dir', 'out'], { cwd: directory })).code, 2);
  assert.ok(!exists(join(directory, 'out')), 'nothing was sent');
  // PromptQL has none of these tools.
  write(join(directory, 'tasks/own.yaml'), YAML.stringify({ promptql_prompt: 'answer', expected_promptql_artifact: 'a', variations: [{ expected_output: ['ok'] }] }));
  write(join(directory, 'tasks/plain.yaml'), YAML.stringify({ promptql_prompt: 'answer', expected_promptql_artifact: 'a', variations: [{ expected_output: ['ok'] }] }));
  const other = await assay(['check', 'eval.yaml', '--system', 'promptql', '--promptql.url', 'http://127.0.0.1:9'], { cwd: directory });
  assert.doesNotMatch(other.stderr, /nope|NOPE/i);
});
