// Taking something out of the store: asked once more, since it does not come back.
import { useEffect, useRef, useState } from 'preact/hooks';
import { remove, type Refusal } from '../../api/client';
import { Trouble } from '../../api/loading';
import { countWords } from '../../figures/words';

// "1 record, 4 results" of what the server says went.
export function goneWords(counts: Record<string, unknown>): string {
  const words = Object.entries(counts).flatMap(([name, count]) => (typeof count === 'number' && count > 0 ? [`${countWords(count)} ${count === 1 ? name.replace(/s$/, '') : name}`] : []));
  return words.length > 0 ? `Removed: ${words.join(', ')}.` : 'Removed.';
}

interface RemovalProps { path: string; one: string; goesToo: string; offersRecords: boolean; removed: (words: string) => void }
export function Removal({ path, one, goesToo, offersRecords, removed }: RemovalProps) {
  const [isAsked, setAsked] = useState(false);
  const [isUnder, setUnder] = useState(false);
  const [withRecords, setWithRecords] = useState(false);
  const [problem, setProblem] = useState<Refusal>();
  const keep = useRef<HTMLButtonElement>(null);
  const ask = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  // Whoever uses keys stays where the question was.
  useEffect(() => {
    if (isAsked) keep.current?.focus();
    else if (wasAsked.current) ask.current?.focus();
    wasAsked.current = isAsked;
  }, [isAsked]);
  const act = (): void => {
    setUnder(true);
    remove<Record<string, unknown>>(withRecords ? `${path}&records=true` : path).then(
      (counts) => removed(goneWords(counts)),
      (error: unknown) => { setProblem(error as Refusal); setUnder(false); },
    );
  };
  if (!isAsked) return <button type="button" class="plain" ref={ask} onClick={() => setAsked(true)}>Remove…</button>;
  return (
    <div class="card removal" role="group" aria-label={`Remove this ${one}`} onKeyDown={(event) => { if (event.key === 'Escape') setAsked(false); }}>
      <p>Remove this {one} for good? {goesToo}</p>
      {offersRecords && <label class="check"><input type="checkbox" checked={withRecords} onChange={(event) => setWithRecords(event.currentTarget.checked)} /> and every record and failure that speaks of it</label>}
      <p class="form-actions">
        <button type="button" class="plain" ref={keep} onClick={() => setAsked(false)}>Keep it</button>
        <button type="button" class="plain danger" disabled={isUnder} onClick={act}>{isUnder ? 'Removing…' : 'Remove for good'}</button>
      </p>
      {problem && <Trouble problem={problem} />}
    </div>
  );
}
