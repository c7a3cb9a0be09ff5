#!/usr/bin/env node
// Reads runs from `assay serve`: node client.mjs ADDRESS [RUN]; a token comes from ASSAY_TOKEN.
//
// Without RUN it lists the runs. With RUN it waits until that run has ended and prints its figures and its worst cases.
// Node 18 or later, nothing to install.

class Assay {
  constructor(address, token) {
    this.address = address.replace(/\/+$/, '');
    this.headers = token ? { authorization: `Bearer ${token}` } : {};
  }

  async open(path, query = {}) {
    const answer = await fetch(`${this.address}${path}?${new URLSearchParams(query)}`, { headers: this.headers });
    if (!answer.ok) throw new Error(`${answer.status}: ${(await answer.json()).message}`);
    return answer;
  }

  async get(path, query) {
    return (await this.open(path, query)).json();
  }

  runPath(run) {
    return `/api/runs/${encodeURIComponent(run)}`;
  }

  // All runs, a page at a time.
  async* runs(query = {}) {
    for (let offset = 0; ;) {
      const page = await this.get('/api/runs', { ...query, offset, count: 100 });
      yield* page.runs;
      offset += page.runs.length;
      if (page.runs.length === 0 || offset >= page.fitting) return;
    }
  }

  // The run as it is now, and again whenever it changes.
  async* states(run) {
    const { body } = await this.open('/api/events', { run });
    let text = '';
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = text.slice(0, end).split('\n').find((line) => line.startsWith('data: '));
        text = text.slice(end + 2);
        if (data) yield JSON.parse(data.slice(6));
      }
    }
  }
}

const short = (value) => Number(value.toPrecision(3));
function figure({ value, n, ci, undefined: why }) {
  if (value === null) return `undefined: ${why ?? ''}`;
  return ci ? `${short(value)} (${short(ci[0])} to ${short(ci[1])}), n = ${n}` : `${short(value)}`;
}

const [address, run] = process.argv.slice(2);
if (!address) {
  console.error('node client.mjs ADDRESS [RUN]');
  process.exit(2);
}
process.on('uncaughtException', (error) => {
  console.error(error.cause ? `${error.message}: ${error.cause.message}` : error.message);
  process.exit(1);
});
const assay = new Assay(address, process.env.ASSAY_TOKEN);
if (run === undefined) {
  for await (const one of assay.runs()) {
    const words = one.headline ? `${one.headline.name} ${figure(one.headline.estimate)}` : '';
    console.log([one.id, one.state, `${one.done}/${one.cases}`, words].join('\t'));
  }
} else {
  for await (const state of assay.states(run)) {
    if (!state.state) throw new Error(`${run} has been removed`);
    console.error(`${state.state}: ${state.done} of ${state.cases} cases`);
    if (state.state !== 'running') break;
  }
  const { summary, notable } = await assay.get(assay.runPath(run));
  for (const sentence of summary.conclusions) console.log(sentence);
  for (const [name, estimate] of Object.entries(summary.metrics)) console.log(`${name}\t${figure(estimate)}`);
  for (const one of notable.slice(0, 5)) console.log(`worst: ${one.id}\t${one.why}`);
  process.exit(0);
}
