import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect } from '../src/api/types';
import { agentTurns, questionOf } from '../src/screens/case/agent_run';
import { materialOf } from '../src/screens/case/material';
import { aptnessOf, scoreTable, talliesOf, trialsIn, trialsOf } from '../src/screens/case/trials';

const call = (step: string, request: unknown, reply: unknown, more: Partial<Effect> = {}): Effect => ({
  step, attempt: 1, kind: 'model', model: 'm', request, reply, prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0, reasoning_tokens: 0,
  cost_usd: 0, latency_ms: 1, tries: 1, reused: false, finished: '', ...more,
});
const asked = (text: string): unknown => ({ messages: [{ role: 'system', text: 'Judge.' }, { role: 'user', text }] });
const said = (value: unknown): unknown => ({ message: { role: 'assistant', text: typeof value === 'string' ? value : JSON.stringify(value) } });
const pair = (step: string, a: string, b: string, reply: unknown): Effect => call(step, asked(`<response_a>\n${a}\n</response_a>\n\n<response_b>\n${b}\n</response_b>`), said(reply));
const rating = (judge: number, condition: string, text: string, score: number): Effect =>
  call(`rating/${judge}/${condition}/run1`, asked(`<response>\n${text}\n</response>`), said({ overall: { reason: `why ${score}`, score } }));

test('blinded answers get their conditions back by their texts, whichever way round they were shown', () => {
  const verdict = { overall: { reason: 'clearer', choice: 'B' }, winner: 'B' };
  const trials = trialsOf([
    pair('pair/1/tone~control/run1', 'plain words', 'warm words', verdict), pair('pair/1/tone~control/run1/swapped', 'warm words', 'plain words', verdict),
    rating(4, 'tone', 'warm words', 5), rating(4, 'control', 'plain words', 3), rating(5, 'control', 'plain words', 4),
  ]);
  assert.deepEqual(trials.answers.map(({ condition, text }) => [condition, text]), [['control', 'plain words'], ['tone', 'warm words']]);
  assert.deepEqual(trials.preferences.map(({ first, winner, reason }) => [first, winner, reason]), [['control', 'tone', 'clearer'], ['tone', 'control', 'clearer']]);
  assert.deepEqual(scoreTable(trials.marks), { conditions: ['control', 'tone'], rows: [{ criterion: 'overall', scores: [[3, 4], [5]] }] });
});

test('a report holds answers and judgements with the case, and they are no field of its input', () => {
  const criteria = [{ name: 'helpfulness', choice: 'tie', reason: 'alike' }, { name: 'overall', choice: 'tone', reason: 'clearer' }];
  const input = { query: 'How?', trials: { answers: [{ condition: 'tone', run: 1, text: 'warm words' }], preferences: [{ judge: '1', run: 1, conditions: ['tone', 'control'], first: 'control', second: 'tone', winner: 'tone', criteria }], marks: [], roles: [] } };
  const trials = trialsIn(input);
  assert.deepEqual(trials?.preferences.map(({ winner, reason }) => [winner, reason]), [['tone', 'clearer']]);
  assert.deepEqual(materialOf({ input, result: { query: 'How?' } }), { input: [['query', 'How?']], expected: [], actual: [], more: [] });
  assert.equal(trialsIn({ query: 'How?' }), null);
});

test('equal texts stay A and B, a tie is a tie, and an answer that is no JSON decides nothing', () => {
  const { preferences } = trialsOf([
    rating(4, 'tone', 'same', 5), rating(4, 'control', 'same', 5),
    pair('pair/1/tone~control/run1', 'same', 'same', { winner: 'Tie' }), pair('pair/2/tone~control/run1', 'same', 'same', 'Overall Winner: [B]'),
  ]);
  assert.deepEqual(preferences.map(({ first, second, winner }) => [first, second, winner]), [['A', 'B', 'tie'], ['A', 'B', '']]);
});

test('the last attempt at a step counts', () => {
  const first = call('role/1/tone/run1', asked('<response>\nx\n</response>'), said('nothing'));
  const second = { ...first, attempt: 2, reply: said({ appropriate: true, reason: 'fits' }) };
  assert.deepEqual(trialsOf([second, first]).roles, [{ judge: '1', run: 1, condition: 'tone', suits: true, reason: 'fits' }]);
});

test('the transcript of an agent is what its last request held and the reply to it', () => {
  const begin = [{ role: 'system', text: 's' }, { role: 'user', text: 'How many?' }];
  const turns = agentTurns([
    call('sitting1/turn1/a', { messages: begin }, said('let me see')),
    call('sitting1/turn1/query/b', { sql: '' }, { rows: [] }, { kind: 'tool' }),
    call('sitting1/turn2/c', { messages: [...begin, { role: 'assistant', text: 'let me see' }] }, said('3')),
  ]);
  assert.deepEqual(turns.map(({ message }) => message.text), ['s', 'How many?', 'let me see', '3']);
  assert.equal(questionOf(turns), 'How many?');
});

test('what PromptQL did is told action by action', () => {
  const request = { body: { interactions: [{ user_message: { text: 'How many?' } }] } };
  const turns = agentTurns([call('sitting1/query/a', request, { assistant_actions: [{ message: 'I look.', plan: '1. read', code: 'read()', code_output: '3 rows', code_error: null }] }, { kind: 'promptql' })]);
  assert.deepEqual(turns.map(({ message, calls }) => [message.text, calls]), [['How many?', []], ['I look.\n\nPlan:\n1. read', [{ tool: 'code', arguments: 'read()', result: '3 rows' }]]]);
});

test('a long text that input and result hold under two names is shown once', () => {
  const text = 'Why does bread go stale faster in the fridge?';
  assert.deepEqual(materialOf({ input: { text }, result: { query: text, lost: 0 } }), { input: [['text', text]], expected: [], actual: [], more: [['lost', 0]] });
});

test('preferences are counted by pair over judges, runs and seats; two equal texts decide nothing', () => {
  const won = (choice: string): unknown => ({ overall: { reason: '', choice }, winner: choice });
  const both = [rating(4, 'tone', 'warm words', 5), rating(4, 'control', 'plain words', 3)];
  const { preferences } = trialsOf([
    ...both,
    pair('pair/1/tone~control/run1', 'plain words', 'warm words', won('B')), pair('pair/1/tone~control/run1/swapped', 'warm words', 'plain words', won('A')),
    pair('pair/2/tone~control/run1', 'plain words', 'warm words', won('A')), pair('pair/3/tone~control/run1', 'plain words', 'warm words', won('Tie')),
    pair('pair/4/tone~control/run1', 'plain words', 'warm words', 'cannot say'), pair('pair/1/tone~control/run2', 'same', 'same', won('A')),
  ]);
  assert.deepEqual(talliesOf(preferences), [{ conditions: ['tone', 'control'], wins: [2, 1], ties: 1, undecided: 2, of: 6 }]);
});

test('a verdict on a role that cannot be used counts neither way', () => {
  const role = (judge: number, appropriate: unknown): Effect => call(`role/${judge}/tone/run1`, asked('<response>\nx\n</response>'), said({ appropriate, reason: '' }));
  assert.deepEqual(aptnessOf(trialsOf([role(1, true), role(2, false), role(3, 'maybe')]).roles), [{ condition: 'tone', apt: 1, of: 2 }]);
});
