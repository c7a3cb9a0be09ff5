// A Model Context Protocol server over stdio for tests: well-behaved by default, and able to crash, hang and
// talk rubbish on request. Flags change how it starts; its tools change how it behaves when called.
import {appendFileSync, closeSync, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';

const flag = (name) => process.argv.includes(name);
const value = (name) => (flag(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const say = (text) => process.stdout.write(text + '\n');
const send = (message) => say(JSON.stringify({jsonrpc: '2.0', ...message}));
const text = (content) => ({content: [{type: 'text', text: content}]});

const seen = [];            // methods of notifications, and of cancellations the id
const answers = new Map();  // to our own requests: id -> function

if (flag('--die')) {
  process.stderr.write('cannot open the database\n');
  process.exit(3);
}
// Notes itself, and then how many of those that did are alive: whoever is second sees the first.
if (flag('--note')) {
  const alive = (pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  appendFileSync(value('--note'), `+${process.pid}\n`);
  const noted = readFileSync(value('--note'), 'utf8').match(/^\+\d+$/gm).map((line) => Number(line.slice(1)));
  appendFileSync(value('--note'), `=${noted.filter(alive).length}\n`);
}
if (flag('--banner')) say('Some server 1.2 is running on stdio\n');
if (flag('--endless')) for (let i = 0; i < 1000; ++i) say('chatter');
if (flag('--stubborn')) process.on('SIGTERM', () => {});

// Of the servers that note themselves in the same file, so many were alive at once.
const most = () => Math.max(...readFileSync(value('--note'), 'utf8').match(/^=\d+$/gm).map((line) => Number(line.slice(1))));
const until = async (condition, ms) => {
  for (const end = Date.now() + ms; !condition() && Date.now() < end;) await new Promise((soon) => setTimeout(soon, 10));
};
// With --together N: N of them have been there, and one more has had the time to come if it could. Once.
let waited = false;
const together = async () => {
  const wanted = Number(value('--together') ?? 0);
  if (wanted === 0 || waited) return;
  waited = true;
  await until(() => most() >= wanted, 30_000);
  await until(() => most() > wanted, 1000);
};

const ask = (id, method) => new Promise((resolve) => {
  answers.set(id, resolve);
  send({id, method, params: {}});
});

const tool = (name, more = {}) => ({name, inputSchema: {type: 'object', properties: {}}, ...more});
const pages = {
  '': {tools: [tool('echo', {title: 'Echo', description: 'Gives back its arguments'})], nextCursor: 'two'},
  two: {tools: [tool('crash'), tool('hang', {outputSchema: {type: 'object'}})], nextCursor: 'three'},
  three: {tools: [{name: 'bare'}]},
};

const tools = {
  echo: (args) => text(JSON.stringify(args)),
  variable: ({name}) => text(process.env[name] ?? 'not set'),
  async pid() {
    await together();
    return text(String(process.pid));
  },
  seen: () => text(seen.join(' ')),
  structured: () => ({...text('{"n":1}'), structuredContent: {n: 1}}),
  // Each a way to give away what it was given.
  repeats: ({name}) => ({content: [{type: 'text', text: `it is ${process.env[name]}`}]}),
  repeats_as_data: ({name}) => ({content: [], structuredContent: {[name]: process.env[name]}}),
  repeats_and_fails: ({name}) => ({...text(`refused: ${process.env[name]}`), isError: true}),
  repeats_as_fault: ({name}) => ({fault: {code: -32000, message: `refused: ${process.env[name]}`, data: {key: process.env[name]}}}),
  repeats_and_crashes({name}) {
    process.stderr.write(`refused: ${process.env[name]}\n`);
    process.exit(9);
  },
  repeats_as_rubbish({name}) {
    say(`{"key": "${process.env[name]}"}`);
    return new Promise(() => {});
  },
  fails: () => ({...text('no such ticket'), isError: true}),
  shapeless: () => ({something: 'else'}),
  async later({ms}) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return text(`after ${ms}`);
  },
  async asks() {
    send({method: 'notifications/message', params: {level: 'info', data: 'about to ask'}});
    const pong = await ask('p-1', 'ping');
    const roots = await ask(7, 'roots/list');
    return text(JSON.stringify([pong.result, roots.error.code]));
  },
  crash() {
    process.stderr.write('x'.repeat(10000) + '\nsegmentation fault, nearly\n');
    process.exitCode = 9;
    process.stdin.destroy();
    return new Promise(() => {});
  },
  killed() {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  },
  replies_and_leaves() {
    setTimeout(() => process.exit(0), 20);
    return text('goodbye');
  },
  never: () => new Promise(() => {}),
  hang: () => new Promise(() => {}),
  deaf() {
    process.stderr.write('thinking hard\n');
    for (;;);
  },
  broken() {
    say('{"jsonrpc": "2.0", "id": 1, "resu');
    return new Promise(() => {});
  },
  not_rpc() {
    say('{"hello": "world"}');
    return new Promise(() => {});
  },
  babble() {
    for (let i = 0; i < 200; ++i) say('bla bla');
    return new Promise(() => {});
  },
  mumbles() {
    say('debug: got a call');
    return text('fine');
  },
  long({bytes}) {
    return text('y'.repeat(bytes));
  },
  closes_output() {
    closeSync(1);
    setInterval(() => {}, 1000);
    return new Promise(() => {});
  },
  complains() {
    send({id: null, error: {code: -32700, message: 'Parse error'}});
    return new Promise(() => {});
  },
  batch() {
    return {batch: text('one of two')};
  },
};

async function answer({id, method, params}) {
  if (method === 'initialize') {
    if (flag('--silent')) return;
    if (params.protocolVersion !== '2025-06-18' || params.clientInfo.name !== 'assay') process.exit(4);
    return send({
      id,
      result: {
        protocolVersion: value('--version') ?? '2025-06-18',
        capabilities: flag('--no-tools') ? {} : {tools: {}},
        serverInfo: {name: 'rubbish', version: '0.1'},
      },
    });
  }
  if (!seen.includes('notifications/initialized')) return send({id, error: {code: -32000, message: 'too early'}});
  if (method === 'ping') return send({id, result: {}});
  if (method === 'tools/list') {
    if (flag('--circle')) return send({id, result: {tools: [], nextCursor: 'again'}});
    if (flag('--leaky')) {
      const properties = {key: {type: 'string', default: process.env.KEY}};
      const inputSchema = {type: 'object', properties, required: ['key']};
      const open = {name: 'open', description: `Opens with ${process.env.KEY}`, inputSchema};
      return send({id, result: {tools: [open, tool('repeats'), tool('repeats_and_fails')]}});
    }
    if (flag('--who')) return send({id, result: {tools: [tool('pid'), tool('crash')]}});
    if (flag('--twice')) return send({id, result: {tools: [tool('a'), tool('a')]}});
    return send({id, result: pages[params.cursor ?? '']});
  }
  if (method !== 'tools/call') return send({id, error: {code: -32601, message: 'Method not found'}});
  const run = tools[params.name];
  if (!run) return send({id, error: {code: -32602, message: `Unknown tool: ${params.name}`}});
  const result = await run(params.arguments);
  if (result.fault) return send({id, error: result.fault});
  if (result.batch) {
    return say(JSON.stringify([
      {jsonrpc: '2.0', method: 'notifications/progress', params: {}},
      {jsonrpc: '2.0', id, result: result.batch},
    ]));
  }
  send({id, result});
}

createInterface({input: process.stdin}).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method && 'id' in message) return answer(message);
  if (message.method) {
    seen.push(message.method);
    return;
  }
  answers.get(message.id)?.(message);
}).on('close', () => {
  if (flag('--left')) appendFileSync(value('--left'), 'by itself\n');
  if (!flag('--stubborn')) process.exit();
  setInterval(() => {}, 1000);
});
