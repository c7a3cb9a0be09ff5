import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader } from '../src/api/event_stream';
import { judgedRun, verdictTable } from '../src/screens/case/judged_lists';
import { materialOf } from '../src/screens/case/material';
import { changesOf } from '../src/screens/config_form';
import { choicesOf } from '../src/screens/judge/answer_keys';
import { nextOrder, sortedBy } from '../src/tables/order';

test('events come whole, however their bytes are cut', () => {
  const text = ': hello\n\nevent: run\ndata: {"id":1}\n\nevent: gone\r\ndata: {"id":\r\ndata: 2}\r\n\r\nevent: run\ndata: {}';
  for (const size of [1, 3, 1000]) {
    const reader = new EventReader();
    const events = [...text.matchAll(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))].flatMap(([piece]) => reader.push(piece));
    assert.deepEqual(events, [{ event: 'run', data: '{"id":1}' }, { event: 'gone', data: '{"id":\n2}' }], `pieces of ${size}`);
  }
});

test('each verdict has the statement that it is about', () => {
  const run = judgedRun({ run: 1, score: 0.5, truths: ['t'], claims: ['first', 'second'], verdicts: [{ id: 2, verdict: 'no', reason: 'r' }, { id: 1, verdict: 'yes' }] });
  assert.deepEqual(run.verdicts, [{ about: 'second', verdict: 'no', reason: 'r' }, { about: 'first', verdict: 'yes', reason: '' }]);
  assert.deepEqual(run.lists, [{ name: 'truths', items: ['t'] }]);
});

test('columns that are the same for all verdicts are left out', () => {
  assert.deepEqual(verdictTable([{ item: 'x', a: 1 }, { item: 'x', a: 2, b: 3 }]), { columns: ['a', 'b'], rows: [[1, undefined], [2, 3]] });
});

test('a case falls into what it was, what was wanted and what came', () => {
  const view = { evaluation: 'e', id: 'i', outcome: 'scored', effects: [], notes: [], input: { id: 'i', question: 'q', ideal_answer: 'a', llm_answer: 'b' }, result: { question: 'q', actual_outcome: 'c', scores: {}, confidence: 1 } };
  assert.deepEqual(materialOf(view), { input: [['question', 'q']], expected: [['ideal_answer', 'a']], actual: [['llm_answer', 'b'], ['actual_outcome', 'c']], more: [['confidence', 1]] });
});

test('a column sorts down, up and not at all, and what is undefined stays last', () => {
  const rows = [[1], [null], [3], [2]];
  assert.deepEqual(sortedBy(rows, { column: 0, descending: true }), [[3], [2], [1], [null]]);
  assert.deepEqual(sortedBy(rows, { column: 0, descending: false }), [[1], [2], [3], [null]]);
  assert.equal(nextOrder(nextOrder(nextOrder(null, 0), 0), 0), null);
});

test('a form sends what was changed, in the type of its key', () => {
  const config = {
    keys: ['integer', 'boolean', 'text', 'text_list', 'number'].map((type, i) => ({ name: `k${i}`, type, help: '' })),
    values: { k0: 3, k1: true, k2: 'a', k3: ['x'] },
  };
  const same = { k0: '3', k1: 'true', k2: 'a', k3: '["x"]' };
  assert.deepEqual(changesOf(config, same), { changes: {}, wrong: [] });
  assert.deepEqual(changesOf(config, { k0: '4', k1: 'false', k2: '', k3: '["x","y"]', k4: '0.5' }), { changes: { k0: 4, k1: false, k3: ['x', 'y'], k4: 0.5 }, wrong: [] });
  assert.deepEqual(changesOf(config, { ...same, k3: '["x"', k4: 'much' }), { changes: {}, wrong: ['k3', 'k4'] });
});

test('every kind of sheet has its keys', () => {
  const keys = (sheet: Parameters<typeof choicesOf>[0]): string => choicesOf(sheet).map(({ key }) => key).join('');
  assert.equal(keys({ kind: 'pair', scale: null, labels: [], levels: [] }), 'atb');
  assert.equal(keys({ kind: 'rating', scale: [1, 5], labels: [], levels: [] }), '12345');
  assert.equal(keys({ kind: 'rubric', scale: null, labels: [], levels: [] }), 'yn');
  assert.equal(keys({ kind: 'label', scale: null, labels: ['x', 'y'], levels: [] }), '12');
  assert.deepEqual(choicesOf({ kind: 'rating', scale: [1, 3], labels: [], levels: ['cold', 'kind', 'warm'] })[1], { key: '2', value: 2, words: 'kind' });
});
