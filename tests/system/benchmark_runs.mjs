// What the tests of assay benchmark share: a task with two tools that note their uses, and files that are read back.
import { join } from 'node:path';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import YAML from 'yaml';
import { scratch, write, writeLines, readJson, readLines, exists } from './harness.mjs';

export const readYaml = (path) => YAML.parse(readFileSync(path, 'utf8'));
export const kinds = (file) => file.conversation.map((entry) => Object.keys(entry)[0]);
export const scoreRows = (output) => readJson(join(output, 'summary.json')).tables.scores.rows;
export const scoreMean = (output) => readJson(join(output, 'summary.json')).metrics['score.mean'];

// A program that notes each use in a file and gives back its arguments; `slow` in them makes it wait.
function noteTool(directory) {
  const log = join(directory, 'uses.log');
  const program = write(join(directory, 'note.sh'), `#!/bin/bash
input=$(cat)
printf '%s\\n' "$input" >> ${log}
case "$input" in *slow*) sleep 30;; esac
printf '{"noted": %s}' "$input"
`);
  chmodSync(program, 0o755);
  return { program, uses: () => (exists(log) ? readLines(log) : []) };
}

// A directory with one task for a model with the tools `look` and `weigh`.
export function setUp(t, { task = {}, config = '' } = {}) {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  const tool = noteTool(directory);
  write(join(directory, 'tasks/rank.yaml'), YAML.stringify({
    promptql_prompt: "rank {data}; put the result into an artifact with identifier 'ranked'",
    tool_calling_prompt: 'rank {data} with look and weigh',
    expected_tool_calls: ['look', 'weigh'],
    expected_promptql_artifact: 'ranked',
    variations: [{ parameters: { data: 'the first' }, expected_output: [{ id: 'a' }, { id: 'b' }] }],
    ...task,
  }));
  const parameters = '{type: object, properties: {q: {type: string}}, required: [q], additionalProperties: false}';
  write(join(directory, 'eval.yaml'), `evaluation: benchmark
input_dir: tasks
tools:
  - {name: look, kind: command, command: [${tool.program}], description: looks, parameters: ${parameters}}
  - {name: weigh, kind: command, command: [${tool.program}], description: weighs, parameters: ${parameters}}
${config}`);
  const output = join(directory, 'out');
  const args = (system, model, ...more) => ['run', join(directory, 'eval.yaml'), '--output-dir', output, '--system', system, '--model', model, ...more];
  return { directory, output, tool, args, file: (name) => join(output, name) };
}

export const call = (name, q) => ({ name, arguments: { q } });
export const kAnswer = 'Here it is:\n```json\n[{"id": "a"}, {"id": "b"},]\n```';
let scripts = 0;
export const scripted = (directory, rules) => writeLines(join(directory, `script-${++scripts}.jsonl`), rules);
