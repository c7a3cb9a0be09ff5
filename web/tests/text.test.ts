import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainText, shortened, textParts } from '../src/text/code_points';
import { mostDiffWords, wordDiff, wordsOf } from '../src/text/word_diff';

test('characters that turn, hide or colour text are shown as their code points', () => {
  assert.deepEqual(textParts('a\u202eb'), [{ text: 'a', isCode: false }, { text: 'U+202E', isCode: true }, { text: 'b', isCode: false }]);
  assert.equal(plainText('\u001b[31mred\u0000\u200f\u2066'), 'U+001B[31mredU+0000U+200FU+2066');
  assert.equal(plainText('lone \ud800 half'), 'lone U+D800 half');
});

test('lines, tabs, emoji and other scripts stay as they are', () => {
  assert.equal(plainText('one\r\ntwo\n\tthree 👩‍🔬 שלום'), 'one\ntwo\n\tthree 👩‍🔬 שלום');
});

test('a text is never cut inside a character', () => {
  assert.equal(shortened('ab👍c', 3), 'ab');
  assert.equal(shortened('ab👍c', 4), 'ab👍');
});

test('words keep the white space behind them', () => {
  assert.deepEqual(wordsOf('  one two\nthree'), ['  ', 'one ', 'two\n', 'three']);
  assert.deepEqual(wordsOf(''), []);
});

test('a word diff marks what was removed and added, and together they are both texts', () => {
  const runs = wordDiff('it costs 14 dollars today', 'it costs 15 dollars');
  assert.deepEqual(runs, [
    { kind: 'both', text: 'it costs ' }, { kind: 'removed', text: '14 ' }, { kind: 'added', text: '15 ' }, { kind: 'both', text: 'dollars' }, { kind: 'removed', text: 'today' },
  ]);
  assert.equal(runs.filter(({ kind }) => kind !== 'removed').map(({ text }) => text).join(''), 'it costs 15 dollars');
});

test('texts that are too long are not taken apart, equal ones are equal', () => {
  const long = 'word '.repeat(mostDiffWords + 1);
  assert.deepEqual(wordDiff(long, `${long}x`).map(({ kind }) => kind), ['removed', 'added']);
  assert.deepEqual(wordDiff(long, long).map(({ kind }) => kind), ['both']);
  assert.deepEqual(wordDiff('', ''), []);
});
