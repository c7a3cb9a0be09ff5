// The fenced blocks of a page, and what is to be done with each. The words behind ``` decide:
//   yaml                    a config: `assay check` accepts it. Without the key `evaluation` it is a part of one, and is
//                           put into the smallest config of the evaluation that the page is about
//   yaml of NAME            the same, with another evaluation than the page's (by default rag_answers)
//   yaml each               every line is such a part by itself
//   yaml file               no config: another file in YAML
//   sh                      commands, run one after the other in a directory that the page has for itself
//   sh not-run: REASON      and the like for yaml: what cannot be done here
//   text, json, csv, …      what is shown; JSON must be JSON
// "`NAME`:" above a block writes it as that file beforehand. A block without a language is a mistake.
const kinds = ['text', 'json', 'csv', 'sql', 'cpp', 'python', 'js', 'yaml', 'sh', 'xml', 'html'];

export function blocksOf(page, text) {
  const blocks = [];
  const lines = text.split('\n');
  let section = '';
  for (let i = 0; i < lines.length; ++i) {
    section = /^## (.*)/.exec(lines[i])?.[1] ?? section;
    const fence = /^(`{3,})(\w*) ?(.*)$/.exec(lines[i]);
    if (!fence) continue;
    const first = i + 1;
    while (++i < lines.length && lines[i] !== fence[1]);
    const file = /(?:^|[ (])`([^`]+)`:$/.exec(lines[first - 3] ?? '')?.[1];
    const where = `${page}:${first}`;
    if (i === lines.length) throw new Error(`${where}: the block does not end`);
    if (!kinds.includes(fence[2])) throw new Error(`${where}: found a block of "${fence[2]}", expected one of ${kinds.join(', ')}; tests/system/docs_blocks.mjs says what each means`);
    const [, skipped] = /^not-(?:run|checked): (.+)$/.exec(fence[3]) ?? [];
    blocks.push({ where, section, language: fence[2], how: skipped ? '' : fence[3], skipped, file: lines[first - 2] === '' ? file : undefined, body: lines.slice(first, i).join('\n') + '\n' });
  }
  return blocks;
}

// JSON as documents or as lines; a part of an object is one in braces.
export function isJson(text) {
  const parses = (part) => { try { JSON.parse(part); return true; } catch { return false; } };
  return parses(text) || parses(`{${text}}`) || text.trim().split('\n').every(parses);
}

// The configs that a block holds: whole ones as they are, parts put before what the smallest config has besides.
export function configsOf({ how, body }, evaluation, smallest) {
  const parts = how === 'each' ? body.trim().split('\n') : body.split(/^---\n/m);
  return parts.map((part) => {
    if (/^evaluation:/m.test(part)) return part;
    const has = (key) => new RegExp(`^${key}:`, 'm').test(part);
    const base = has('target') ? `${smallest(evaluation)}generate: true\n` : smallest(evaluation);
    // Of a key that stands twice the last counts, as in the loop above; each of the smallest config is one line.
    const rest = new Map(base.trim().split('\n').map((line) => [line.split(':')[0], line]));
    if (has('metrics')) rest.delete('case_passes');
    if (has('target')) rest.set('input_path', rest.get('input_path')?.replace(/(_guardrails)?\.jsonl/, (_, guardrails) => (evaluation.startsWith('output') ? guardrails : '') + '_generate.jsonl'));
    return `${[...rest].filter(([key]) => !has(key)).map(([, line]) => line).join('\n')}\n${part}`;
  });
}
