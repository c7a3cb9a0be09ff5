import { test } from 'node:test';
import assert from 'node:assert/strict';
import { inTurn } from '../src/plots/in_turn';

const rest = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

test('work is done piece by piece in its order, and what is taken back is not done', async () => {
  const done: string[] = [];
  inTurn(() => { done.push('first'); setTimeout(() => { done.push('what came meanwhile'); }); });
  inTurn(() => { done.push('second'); });
  const takeBack = inTurn(() => { done.push('not wanted any more'); });
  inTurn(() => { done.push('last'); });
  takeBack();
  assert.equal(done.length, 0, 'not at once');
  for (let i = 0; i < 5; ++i) await rest();
  assert.deepEqual(done, ['first', 'what came meanwhile', 'second', 'last']);
  inTurn(() => { done.push('later'); });
  await rest();
  await rest();
  assert.equal(done.at(-1), 'later');
});
