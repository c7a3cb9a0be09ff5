import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseRow, chosen, heldCase } from '../src/run/report_rows';
import { endedOf, endedWell } from '../src/screens/case/ended';
import { materialOf } from '../src/screens/case/material';

const line = (id: string, more: Record<string, unknown>): string => JSON.stringify({ id, outcome: 'scored', question: `What is ${id}?`, ...more });
const rows = [
  line('b', { scores: { accuracy: 1 } }),
  line('a', { scores: { accuracy: 0 }, metrics: { coherence: { passed: false } } }),
  line('c', { outcome: 'judge_failed', error: 'no usable answer' }),
].map(caseRow);
const ids = (choice: Partial<Parameters<typeof chosen>[1]>): string => chosen(rows, { search: '', outcome: '', sort: '', descending: false, ...choice }).map(({ id }) => id).join('');

test('a row says how its case ended, what it is about and its scores', () => {
  assert.deepEqual(rows.map(({ outcome, isGood, about }) => [outcome, isGood, about]),
    [['scored', true, 'What is b?'], ['not passed', false, 'What is a?'], ['judge_failed', false, 'no usable answer']]);
});

test('rows are searched in everything, filtered by outcome, and sorted with what is undefined last', () => {
  assert.equal(ids({}), 'bac');
  assert.equal(ids({ search: 'COHERENCE' }), 'a');
  assert.equal(ids({ outcome: 'judge_failed' }), 'c');
  assert.equal(ids({ sort: 'id' }), 'abc');
  assert.equal(ids({ sort: 'accuracy' }), 'abc');
  assert.equal(ids({ sort: 'accuracy', descending: true }), 'bac');
});

test('a scored case that missed what was asked of it has not passed, wherever it is shown', () => {
  assert.equal(endedOf({ outcome: 'scored', passed: false }), 'not passed');
  assert.equal(endedOf({ outcome: 'scored', passed: true, metrics: { tone: { passed: true }, facts: { passed: false } } }), 'not passed');
  assert.equal(endedOf({ outcome: 'scored', passed: true, metrics: { tone: {} } }), 'scored');
  assert.equal(endedOf({ passed: false }, 'judge_failed'), 'judge_failed');
  assert.deepEqual(['scored', 'passed', 'skipped', 'not passed', 'limit_hit', 'refused'].map(endedWell), [true, true, true, false, false, false]);
  assert.deepEqual(materialOf({ input: { question: 'Why?' }, result: { passed: false } }).more, []);
});

test('a case whose line does not repeat what was judged has it beside the line, to be read and searched', () => {
  const row = caseRow(JSON.stringify([{ id: 'talk', outcome: 'scored', scores: { applied: 1 } }, { id: 'talk', agent: 'The lift is mended.' }]));
  assert.deepEqual([row.id, row.outcome, row.about, row.scores.get('applied')], ['talk', 'scored', 'The lift is mended.', 1]);
  assert.deepEqual(heldCase(row.line).input, { id: 'talk', agent: 'The lift is mended.' });
  assert.equal(chosen([row], { search: 'LIFT', outcome: '', sort: '', descending: false }).length, 1);
  assert.equal(heldCase(line('b', {})).input, null);
});
