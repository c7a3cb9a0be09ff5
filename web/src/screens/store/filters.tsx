// By what a list is narrowed; folded on a phone, where the list comes first.
import { useState } from 'preact/hooks';
import type { Query } from '../../address';
import { titleWords } from '../../figures/words';
import { useNarrow } from '../../width';
import type { StoreKind } from './kinds';
import { memberWords } from './members';

const choices: Record<string, string[]> = {
  mode: ['mode1', 'mode2', 'mode3'], likert: ['1', '2', '3', '4', '5'], agreement: ['AGREE', 'DISAGREE'], resolved: ['true'],
  status: ['INITIATED', 'PROCESSING', 'COMPLETE', 'ERROR', 'CANCELLED'],
};
const isTime = (name: string): boolean => /since$|until$/i.test(name);

export function Filters({ kind, query, change }: { kind: StoreKind; query: Query; change: (changes: Query) => void }) {
  const isNarrow = useNarrow();
  const [texts, setTexts] = useState<Query>(Object.fromEntries(kind.filters.map((name) => [name, query[name] ?? ''])));
  if (kind.filters.length === 0) return null;
  const used = kind.filters.filter((name) => query[name]).length;
  const set = (name: string, value: string): void => setTexts({ ...texts, [name]: value });
  const form = (
    <form class="filters" role="search" aria-label={kind.title} onSubmit={(event) => { event.preventDefault(); change({ ...texts, cursor: '', open: '' }); }}>
      {kind.filters.map((name) => {
        const value = texts[name] ?? '';
        const known = choices[name];
        return (
          <label key={name}>{titleWords(memberWords(name))} {known
            ? <select value={value} onChange={(event) => set(name, event.currentTarget.value)}><option value="">any</option>{known.map((one) => <option key={one} value={one}>{one}</option>)}</select>
            : <input type="text" value={value} placeholder={isTime(name) ? '2026-11-18T08:30:00Z' : undefined} onInput={(event) => set(name, event.currentTarget.value)} />}
          </label>
        );
      })}
      <button type="submit" class="plain">Show</button>
    </form>
  );
  return isNarrow ? <details class="more"><summary>Filters{used > 0 && `, ${used} set`}</summary>{form}</details> : form;
}
