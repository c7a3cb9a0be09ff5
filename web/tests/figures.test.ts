import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Figure } from '../src/api/types';
import { gateMarks, isPart } from '../src/figures/figures';
import { aroundZero, axisOf, referenceOf, sharedAroundZero, sharedScales } from '../src/figures/scale';
import { costWords, countWords, durationWords, fieldWords, numberWords, pWords, shareWords, timeWords, valueWords } from '../src/figures/words';

const figure = (value: number | null, more: Partial<Figure> = {}, ci: [number, number] | null = null): Figure =>
  ({ name: 'f', estimate: { value, n: 10, ci }, form: 'number', better: 'higher', ...more });

// The same table as tests/report/words_test.cc has for the reports.
test('figures read as in the reports', () => {
  assert.deepEqual([0, 1, 0.6, 0.9996, 0.00001, 0.5].map(shareWords), ['0.0%', '100.0%', '60.0%', '99.96%', '0.001%', '50.0%']);
  assert.deepEqual([0, 0.6123, 1234.56, 0.000123, 1e16].map(numberWords), ['0.000', '0.612', '1,234.6', '0.000123', '1e+16']);
  assert.equal(countWords(1234567), '1,234,567');
  assert.deepEqual([0, 1.234, 0.00042, null, 12345].map(costWords), ['$0', '$1.23', '$0.00042', 'unknown', '$12,345.00']);
  assert.deepEqual([null, 0.00001, 0.0383].map(pWords), ['n/a', '< 0.0001', '0.0383']);
});

test('what is undefined is n/a and never 0', () => {
  assert.equal(valueWords(figure(null)), 'n/a');
  assert.equal(valueWords(figure(0, { form: 'share' })), '0.0%');
  assert.equal(durationWords(null), 'n/a');
});

test('times and durations are short', () => {
  assert.equal(timeWords('2026-11-18T13:22:40.253Z'), '2026-11-18 13:22 UTC');
  assert.equal(timeWords('yesterday'), 'yesterday');
  assert.deepEqual([0, 0.151, 320.4, 4200, 130_000, 7_260_000].map(durationWords), ['0 ms', '0.15 ms', '320 ms', '4.2 s', '2m 10s', '2h 1m']);
});

test('a figure is drawn on its own range, a difference around 0', () => {
  assert.deepEqual(axisOf(figure(3.5, { range: [1, 5] })), [1, 5]);
  assert.deepEqual(axisOf(figure(0.8)), [0, 1]);
  assert.deepEqual(axisOf(figure(130)), [0, 200]);
  assert.deepEqual(axisOf(figure(0.03, { reference: 0 }, [-0.06, 0.1])), aroundZero(0.1));
  assert.equal(referenceOf(figure(0.6, { reference: 0.5 }), [0, 1]), 0.5);
  assert.equal(referenceOf(figure(-0.1), [-0.2, 0.2]), 0);
  assert.equal(referenceOf(figure(0.6), [0, 1]), null);
});

test('figures of a table share one scale, those that do not fit have none', () => {
  const [small, large, huge] = [figure(-0.02, {}, [-0.04, 0.01]), figure(0.3, { reference: 0 }), figure(-7)];
  const scaleOf = sharedScales([small, large, huge]);
  assert.deepEqual(scaleOf(small), [-0.5, 0.5]);
  assert.deepEqual(scaleOf(large), [-0.5, 0.5]);
  assert.equal(scaleOf(huge), null);
});

test('differences share a scale that most of them fill, whatever one of them is', () => {
  assert.deepEqual(sharedAroundZero([0.1, 0.12, 0.16, 0.95]), [-0.2, 0.2]);
  assert.deepEqual(sharedAroundZero([0.3]), [-0.5, 0.5]);
  assert.deepEqual(sharedAroundZero([]), [-1, 1]);
});

test('a gate marks its own figure only', () => {
  const gates = ['f >= 0.6', 'f.n >= 3', 'f <= 9e-1', 'f is fine'].map((gate) => ({ gate, passed: true, value: 1 }));
  assert.deepEqual(gateMarks(figure(1), gates), [0.6, 0.9]);
  assert.equal(isPart('likert.mean.work', new Set(['likert.mean'])), true);
  assert.equal(isPart('likert.mean', new Set(['likert.mean'])), false);
});

test('a field reads as words, whichever way its name is written', () => {
  assert.deepEqual(['evaluateSourceType', 'llm_answer', 'itemId', 'URL'].map(fieldWords), ['evaluate source type', 'llm answer', 'item id', 'URL']);
});
