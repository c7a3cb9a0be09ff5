// How long the data service keeps things, what is too old by now, and what the last sweep took away.
import { useLoaded } from '../../api/loading';
import type { Retention } from '../../api/types';
import { timeWords } from '../../figures/words';
import { Text } from '../../text/text';
import { keepWords, prunedWords } from './kept_words';

export function RetentionNote() {
  const { value } = useLoaded<Retention>('/api/retention');
  if (!value) return null;
  const { due, last_sweep: last } = value;
  const kept = keepWords(value);
  if (!kept) return <p class="note">Everything is kept until somebody removes it.</p>;
  return (
    <details class="more">
      <summary>Kept: {kept}</summary>
      <p>Everything else stays until somebody removes it. Too old by now, to go with the next sweep: {prunedWords(due)}.</p>
      {last ? <p>The last sweep, {timeWords(last.ended)}, took away {prunedWords(last.removed)}.{last.problem && <> It was not all: <Text of={last.problem} /></>}</p> : <p>No sweep has ended yet.</p>}
    </details>
  );
}
