import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseView } from '../src/api/types';
import { addressOf, screenOf } from '../src/address';
import { conversationOf, groupsOf, verdictsOf } from '../src/screens/read/groups';

const view = (id: string, more: Partial<CaseView>): CaseView => ({ evaluation: 'benchmark', id, outcome: 'scored', effects: [], result: {}, notes: [], ...more });

test('what several systems made of a task stands together, other cases by themselves', () => {
  const run = (system: string, variation: number): CaseView => view(`t-${system}-${variation}`, { result: { input: 't', system, variation, run: 1 } });
  const groups = groupsOf([run('a', 0), run('b', 0), run('a', 1), run('b', 1)]);
  assert.deepEqual(groups.map(({ title, cases }) => [title, cases.length]), [['t, variation 0', 2], ['t, variation 1', 2]]);
  assert.equal(groupsOf([view('x', { evaluation: 'custom' }), view('y', { evaluation: 'custom' })]).length, 2);
});

test('a verdict other than expected is told, and its segments know their message', () => {
  const verdicts = verdictsOf({ verdicts: [
    { guideline: 'greet', applied: false, expected: true, guideline_applied_rationale: [{ action_segment: 'say hello', message_index: 1, action_applied_rationale: 'it does not' }] },
    { guideline: 'thank', applied: true, expected: true },
    { guideline: 'wait', applied: null },
  ] });
  assert.deepEqual(verdicts.map(({ isOther }) => isOther), [true, false, false]);
  assert.deepEqual(verdicts.flatMap(({ segments }) => segments).map(({ message, why }) => [message, why]), [[1, 'it does not']]);
  assert.deepEqual(verdicts.map(({ verdict }) => verdict), ['not applied', 'applied', 'undetermined']);
});

test('turns of a conversation are numbered as judges count them', () => {
  const turns = conversationOf(view('c', { input: { messages: [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }] } }));
  assert.deepEqual(turns.map(({ number }) => number), [0, 1]);
});

test('the reading screen has an address of its own', () => {
  const screen = screenOf('/runs/bot:first/read?failed=true&from=12');
  assert.deepEqual(screen, { name: 'read', run: 'bot:first', query: { failed: 'true', from: '12' } });
  assert.equal(addressOf(screen), '/runs/bot:first/read?failed=true&from=12');
});
