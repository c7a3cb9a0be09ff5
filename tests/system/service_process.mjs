// `assay serve` as a real process, and what its tests send to it.
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { start, root, readJson } from './harness.mjs';

// Stopped when the test ends. `store` is a directory that outlives a kill.
export async function service(t, store, { args = [], env = {} } = {}) {
  const run = start(['serve', '--port', '0', '--store', store, ...args], { env });
  const base = await new Promise((found, failed) => {
    run.child.stdout.on('data', () => {
      const line = /listening on (http:\S+)/.exec(run.stdout);
      if (line) found(line[1]);
    });
    run.child.on('close', () => failed(new Error(`the service ended: ${run.stderr}`)));
  });
  const kill = async (signal = 'SIGKILL') => { run.child.kill(signal); return run.ended; };
  t.after(() => kill());
  const call = async (method, path, body, headers = {}) => {
    const answer = await fetch(base + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    let json;
    try { json = JSON.parse(text); } catch { json = undefined; }
    return { status: answer.status, json, text, headers: answer.headers };
  };
  return { run, base, kill, call, get: (path, headers) => call('GET', path, undefined, headers), post: (path, body, headers) => call('POST', path, body, headers) };
}

const personas = join(root, 'examples/persona/personas');
export const persona = (name) => readJson(join(personas, `${name}.json`));
export const perspective = (id) => ({ id, name: id, text: `Is the chosen value right, seen as ${id}?` });

// Items of our own with two classifications each.
export const item = (id, { tags = ['source'], time = '2026-11-01T08:00:00Z' } = {}) => ({
  contentItemSummary: { itemId: id },
  evaluateTime: time,
  evaluateTitle: `Delivery ${id}`,
  evaluateText: `The delivery ${id} arrives at the loading dock on Thursday morning.`,
  evaluateSourceType: 'E-mail', evaluateSourceOriginator: 'depot', evaluateSourceChannel: null,
  evaluateClassifications: [
    { classificationName: 'work-pers', classificationDesc: 'Work or private life?', classificationValue: 'work', classificationOptions: ['work', 'personal'] },
    { classificationName: 'urgency', classificationDesc: 'Does it need something today?', classificationValue: 'not', classificationOptions: ['urgent', 'not'] },
  ],
  tags,
});
export const items = (count, options) => Array.from({ length: count }, (_, i) => item(`item-${String(i).padStart(4, '0')}`, options));

export const job = (more = {}) => ({
  tag_source: 'source', tags_dest: ['judged'], model: 'openai/judge', persona: persona('ines'), perspectives: [perspective('fit')], ...more,
});

export const fixture = (name) => JSON.parse(readFileSync(join(root, 'tests/data/persona', name), 'utf8'));
