import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfFile, isReadOnlyStructure } from '../src/screens/config_form';

const text = `# seed: 4
evaluation: custom
judge: {model: sim/judge, temperature: 0}
limits:
  # concurrency: 9
  timeout: 120s
metrics:
- {name: short, repeat: 3}
`;
const values = { evaluation: 'custom', 'judge.model': 'sim/judge', 'judge.temperature': 0, 'limits.timeout': '120s', 'limits.concurrency': 64, seed: 0, repeat: 1, attempts: 5, metrics: [{ name: 'short' }] };
const isHere = (name: string, usual?: unknown): boolean => isOfFile({ text, values }, { name, default: usual });

test('a key is the file\'s if the file names it, in a line or within braces', () => {
  assert.deepEqual(['evaluation', 'judge.model', 'judge.temperature', 'limits.timeout', 'metrics'].map((name) => isHere(name)), [true, true, true, true, true]);
  assert.equal(isHere('limits.timeout', '120s'), true);
});

test('what is only a default, a comment or a word of another part is not the file\'s', () => {
  assert.deepEqual([isHere('limits.concurrency', 64), isHere('seed', 0), isHere('repeat', 1), isHere('judge.max_tokens')], [false, false, false, false]);
});

test('a value other than the default came from the file, however it is written', () => {
  assert.equal(isHere('attempts', 3), true);
});

test('structures that only the file may change are told apart', () => {
  assert.deepEqual([isReadOnlyStructure({ values }, { name: 'metrics', changeable: false }), isReadOnlyStructure({ values }, { name: 'metrics', changeable: true }), isReadOnlyStructure({ values }, { name: 'evaluation', changeable: false })], [true, false, false]);
});
