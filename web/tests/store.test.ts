import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, idOf, relatedTo, storeKinds, type StoreKind } from '../src/screens/store/kinds';
import { ageWords, keepWords, prunedWords } from '../src/screens/store/kept_words';
import { memberWords, partsOf, shownAt } from '../src/screens/store/members';

function kind(name: string): StoreKind {
  const found = storeKinds.find((one) => one.kind === name);
  assert.ok(found, name);
  return found;
}

test('an entry reads as fields, groups and tables, without what is empty', () => {
  const parts = partsOf({
    itemId: 'a-7', publishedMs: 1_758_000_000_000, tags: ['x', 'y'], text: '', error: null, none: [], record: { deep: { er: 1 } },
    item: { evaluateTime: '2025-09-29T06:52:11Z', source: { type: 'mail' }, classes: [{ name: 'area', value: 'staff', gap: null }, { name: 'safety' }] },
    versions: [{ version: 1, persona: { name: 'Ines' } }],
  });
  assert.deepEqual(parts.fields, [['item id', 'a-7'], ['published', '2025-09-16 05:20 UTC'], ['tags', 'x, y']]);
  assert.deepEqual(parts.groups, [['item', [['published', '2025-09-29 06:52 UTC'], ['source · type', 'mail']]], ['versions 1', [['version', 1], ['persona · name', 'Ines']]]]);
  assert.deepEqual(parts.tables, [{ name: 'item: classes', columns: ['name', 'value'], rows: [['area', 'staff'], ['safety', '']] }]);
  assert.deepEqual(parts.asCame, [['record', { deep: { er: 1 } }]]);
});

test('members have words and times that can be read, whatever they hold', () => {
  assert.equal(memberWords('lastRecordedMs'), 'last recorded');
  assert.equal(memberWords('job_id'), 'job id');
  assert.equal(shownAt({ recordedMs: 1e300 }, 'recordedMs'), '1e+300');
  assert.equal(shownAt({ a: 'text' }, 'a/b'), undefined);
  assert.equal(shownAt({ title: '', text: 'found it' }, 'title|text'), 'found it', 'an item without a title is known by its text');
  // As the service reads them: seconds, or ISO 8601 wherever it was written.
  assert.equal(shownAt({ evaluateTime: 1_759_312_800 }, 'evaluateTime'), '2025-10-01 10:00 UTC');
  assert.equal(shownAt({ evaluateTime: '2025-09-30T09:15:40+02:00' }, 'evaluateTime'), '2025-09-30 07:15 UTC');
  assert.equal(shownAt({ evaluateTime: 'in autumn' }, 'evaluateTime'), 'in autumn');
});

test('what tells an entry from others is in its address, and leads on to what belongs to it', () => {
  const subset = { tag: 'autumn & more', percent: 10, members: 3, of: 34 };
  assert.equal(idOf(kind('subsets'), subset), 'autumn & more 10');
  assert.deepEqual(relatedTo(kind('subsets'), subset), [{ words: 'Its items', address: '/store/items?subsetTag=autumn+%26+more&subsetPercent=10' }]);
  const verdict = { resultId: 4, itemId: 'a-7', recordId: 2, jobId: null, mode: 'mode2', personaId: 'ines', perspectiveId: 'fit' };
  assert.deepEqual(relatedTo(kind('verdicts'), verdict).map(({ address }) => address), ['/store/items?open=a-7', '/store/records?open=2', '/store/personas?open=ines', '/store/perspectives?open=fit']);
});

test('ids stay in their place of a path, and a job that runs cannot be removed', () => {
  assert.equal(kind('items').removal?.('a/b?c&records=true', {}), '/data/eval/item?id=a%2Fb%3Fc%26records%3Dtrue');
  assert.equal(kind('jobs').removal?.('j', { mode: 'mode2', status: 'PROCESSING' }), undefined);
  assert.equal(kind('jobs').removal?.('j', { mode: 'mode2', status: 'ERROR' }), '/data/eval/process-evals/mode2/j');
  assert.equal(kind('jobs').whole?.('j', undefined, { mode: 'mode3' }), '/data/eval/process-evals/mode3/j');
  assert.equal(kind('jobs').whole?.('j', undefined, {}), undefined);
});

test('a column that no row fills is not shown', () => {
  const columns = columnsOf(kind('feedback'), [{ person: 'kim', likert: null, agreement: 'AGREE', text: '' }]);
  assert.deepEqual(columns.map(([pointer]) => pointer), ['person', 'agreement']);
});

test('how long things are kept, and what has gone, is told in words', () => {
  assert.deepEqual([86_400, 2_592_000, 129_600, 90, 0.5].map(ageWords), ['1 day', '30 days', '36 hours', '90 seconds', '0.500 seconds']);
  const nothing = { records: 0, results: 0, failures: 0, items: 0, jobs: 0 };
  assert.equal(keepWords({ keep: { records: 3_600, jobs: null, items: 604_800 }, due: nothing, last_sweep: null }), 'records 1 hour, items 7 days');
  assert.equal(prunedWords({ ...nothing, records: 1200, results: 3400, jobs: 1 }), '1,200 records, 3,400 verdicts, 1 job');
  assert.equal(prunedWords(nothing), 'nothing');
});
