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
  const { runs } = wordDiff('it costs 14 dollars today', 'it costs 15 dollars');
  assert.deepEqual(runs, [
    { kind: 'both', text: 'it costs ' }, { kind: 'removed', text: '14 ' }, { kind: 'added', text: '15 ' }, { kind: 'both', text: 'dollars' }, { kind: 'removed', text: 'today' },
  ]);
  assert.equal(runs.filter(({ kind }) => kind !== 'removed').map(({ text }) => text).join(''), 'it costs 15 dollars');
});

test('what two long texts begin and end with alike is not marked', () => {
  const long = 'word '.repeat(mostDiffWords + 1);
  assert.deepEqual(wordDiff(`${long}old ${long}`, `${long}new ${long}`), {
    runs: [{ kind: 'both', text: long }, { kind: 'removed', text: 'old ' }, { kind: 'added', text: 'new ' }, { kind: 'both', text: long }], isTakenApart: true,
  });
  assert.deepEqual(wordDiff(long, long), { runs: [{ kind: 'both', text: long }], isTakenApart: true });
  assert.deepEqual(wordDiff('a a', 'a').runs, [{ kind: 'both', text: 'a' }, { kind: 'removed', text: 'a' }]);
  assert.deepEqual(wordDiff('', '').runs, []);
});

test('where too many words differ they are not taken apart, which is said', () => {
  const [before, after] = ['one ', 'two '].map((word) => word.repeat(mostDiffWords + 1));
  assert.deepEqual(wordDiff(`Hm, ${before}end`, `Hm, ${after}end`), {
    runs: [{ kind: 'both', text: 'Hm, ' }, { kind: 'removed', text: before }, { kind: 'added', text: after }, { kind: 'both', text: 'end' }], isTakenApart: false,
  });
});
