import { test } from 'node:test';
import assert from 'node:assert/strict';
import { aboutCase } from '../src/screens/run/about_case';

test('a row says why its case failed, else what it is about, and where the id says that already what tells it from others', () => {
  assert.equal(aboutCase({ id: 'q1', text: 'How long?', error: 'no answer' }), 'no answer');
  assert.equal(aboutCase({ id: 'q1', text: 'How long?' }), 'How long?');
  assert.equal(aboutCase({ id: 'q1' }), '');
  assert.equal(aboutCase({ id: 'category_statistics-promptql-agent-variation0', text: 'category_statistics' }), 'promptql-agent-variation0');
  assert.equal(aboutCase({ id: 'table', text: 'table' }), 'table');
});
