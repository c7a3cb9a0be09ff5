// The suite of tests/data/promptfoo with its simulated models, the same for the real promptfoo (promptfoo_verdicts.mjs)
// and for what is imported from it (import.test.mjs): which answers the models give decides a hash of row, prompt and
// model, never a verdict.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const suite = join(dirname(fileURLToPath(import.meta.url)), '../data/promptfoo');
export const prompts = ['plain', 'polite', 'record'];
export const providers = ['small', 'large'];

// Cells of a CSV text, by row; quotes as in RFC 4180.
export function csvRows(text) {
  const rows = [[]];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/gy;
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    rows.at(-1).push(found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1]);
    if (found[2] !== ',') {
      if (cell.lastIndex >= text.length) break;
      rows.push([]);
    }
  }
  const [head, ...body] = rows;
  return body.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
}

export const questions = () => csvRows(readFileSync(join(suite, 'tests.csv'), 'utf8'));

function hash(text) {
  let state = 0x811c9dc5;
  for (const byte of Buffer.from(text)) state = Math.imul(state ^ byte, 0x01000193) >>> 0;
  return (state ^ (state >>> 15)) >>> 0;
}

// What a model of that name says: often right, in one of several manners. The small one errs more often.
function reply(provider, prompt, row, rows) {
  const draw = hash(`${provider}/${prompt}/${row.question}`);
  const wrong = draw % 10 < (provider === 'small' ? 3 : 1);
  const answer = wrong ? rows[draw % rows.length].answer : row.answer;
  const manner = Math.floor(draw / 100) % 5;
  if (prompt === 'plain') {
    return [answer, answer, `${answer}.`, answer.toLowerCase(), `The ${row.subject} is ${answer}`][manner];
  }
  if (prompt === 'polite') {
    return [`The ${row.subject} is ${answer}, I am sure.`, `With pleasure: it is ${answer}.`, `That is ${answer.toUpperCase()}, the ${row.subject}!`,
      `I am sorry, perhaps it is ${answer}?`, `${answer} is the ${row.subject}; there is no doubt, really.`][manner];
  }
  const record = { answer, sure: manner === 1 ? 0.4 : 0.9, about: manner === 2 ? '' : row.subject };
  return manner === 3 ? `Here is the record: ${JSON.stringify(record)}` : JSON.stringify(record, null, manner === 4 ? 2 : 0);
}

// A script for `assay sim`: what that model answers to each prompt of the suite.
export function script(provider) {
  const rows = questions();
  const beginning = (prompt) => readFileSync(join(suite, `prompts/${prompt}.txt`), 'utf8').split('\n')[0];
  return prompts.flatMap((prompt) => rows.map((row) => JSON.stringify({
    match: { contains_all: [beginning(prompt), row.question] }, reply: { text: reply(provider, prompt, row, rows) },
  }))).join('\n') + '\n';
}

// The suite in a directory of its own, asking at these addresses ({small, large, judge}).
export function copySuite(directory, urls) {
  cpSync(suite, directory, { recursive: true });
  const path = join(directory, 'promptfooconfig.yaml');
  let text = readFileSync(path, 'utf8');
  for (const [name, url] of Object.entries(urls)) text = text.replace(`http://${name}.example`, url);
  writeFileSync(path, text);
  return path;
}
