import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect } from '../src/api/types';
import { outputsOf } from '../src/screens/case/outputs';

const view = (evaluation: string, result: Record<string, unknown>, effects: Effect[] = []): Parameters<typeof outputsOf>[0] => ({ evaluation, input: {}, result, effects });
const answer = (step: string, text: string): Effect => ({
  step, attempt: 1, kind: 'model', model: 'm', request: { messages: [] }, reply: { message: { role: 'assistant', text } }, prompt_tokens: 0, completion_tokens: 0,
  cached_tokens: 0, reasoning_tokens: 0, cost_usd: 0, latency_ms: 1, tries: 1, reused: false, finished: '',
});

test('an experiment has an answer of each condition and run', () => {
  const effects = [answer('response/test_4_tone/run2', 'warm again'), answer('response/control/run1', 'plain'), answer('response/test_4_tone/run1', 'warm')];
  assert.deepEqual(outputsOf(view('experiment', { answers: 3 }, effects)), [
    { name: 'control · run 1', text: 'plain' }, { name: 'test 4 tone · run 1', text: 'warm' }, { name: 'test 4 tone · run 2', text: 'warm again' },
  ]);
});

test('of a conversation there is what was said of each guideline, and why', () => {
  const said = (why: string, index: number | null): unknown => ({ action_segment: 'Ask.', message_index: index, action_applied_rationale: why });
  assert.deepEqual(outputsOf(view('guidelines', { verdicts: [
    { guideline: 'identify', applied: true, guideline_applied_rationale: [said('She is asked.', 1), said('And again.', null)] }, { guideline: 'cost', applied: null },
  ] })), [{ name: 'identify', text: 'applied\nmessage 1: She is asked.\nAnd again.' }, { name: 'cost', text: 'undetermined' }]);
});

test('of a persona there is what it said of each classification, and why; the item is named where there are several', () => {
  const verdict = (more: object): object => ({ itemId: 'mail-1', classificationName: 'urgency', perspectiveId: 'attention', evaluatedSelection: 'not', evaluationText: 'It can wait.', ...more });
  assert.deepEqual(outputsOf(view('persona', { verdicts: [verdict({ evaluationLikert: 4 })] })), [{ name: 'urgency · attention', text: 'not: 4\nIt can wait.' }]);
  assert.deepEqual(outputsOf(view('persona', { verdicts: [verdict({ evaluationAgreement: 'DISAGREE' }), verdict({ itemId: 'mail-2', evaluationAgreement: 'AGREE' })] })), [
    { name: 'mail-1 · urgency · attention', text: 'not: disagree\nIt can wait.' }, { name: 'mail-2 · urgency · attention', text: 'not: agree\nIt can wait.' },
  ]);
});

test('others have their answers, or what came', () => {
  assert.deepEqual(outputsOf(view('custom', { answers: [{ variant: 'old', repeat: 1, output: 'x' }] })), [{ name: 'old 1', text: 'x' }]);
  assert.deepEqual(outputsOf(view('topic_tagger', { actual_primary_topic: 'tax', correct: true })), [{ name: 'actual_primary_topic', text: 'tax' }]);
});
