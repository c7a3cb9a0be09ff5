// Any value of a case or an effect, readable: text as text, short lists as lists, the rest as JSON.
import { useState } from 'preact/hooks';
import { titleWords } from '../figures/words';
import { Block, Text } from './text';

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

export function Value({ of }: { of: unknown }) {
  if (of === null || of === undefined) return <span class="note">none</span>;
  if (typeof of === 'string') return <Block of={of} />;
  if (isPlain(of)) return <span>{String(of)}</span>;
  if (Array.isArray(of)) {
    if (of.length === 0) return <span class="note">empty list</span>;
    if (of.every(isPlain)) return <ul class="plain-list">{of.map((one, i) => <li key={i}><Value of={one} /></li>)}</ul>;
  }
  return <Json of={of} />;
}

export const Json = ({ of }: { of: unknown }) => <pre tabIndex={0}><code><Text of={JSON.stringify(of, null, 2)} /></code></pre>;

// JSON that is made when it is asked for.
export function JsonOnDemand({ of, what }: { of: unknown; what: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{what}</summary>
      {isOpen && <Json of={of} />}
    </details>
  );
}

export function Fields({ of }: { of: [string, unknown][] }) {
  return (
    <dl class="fields">
      {of.map(([name, value]) => <div key={name}><dt><Text of={titleWords(name)} /></dt><dd><Value of={value} /></dd></div>)}
    </dl>
  );
}
