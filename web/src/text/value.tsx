// Any value of a case or an effect, readable: text as text, plain lists as lists, objects of plain values as names and
// values, lists of them as tables, the rest as JSON.
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { fieldWords, plainWords, titleWords } from '../figures/words';
import { ScrollBox } from '../tables/scroll_box';
import { Block, Text } from './text';

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);

// Flat enough to be read as names and values: each is plain, a list of plain values, or an object of such.
const isFlat = (value: unknown): boolean => value === null || isPlain(value) || (Array.isArray(value) && value.every(isPlain));
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && Object.values(value).every((one) => isFlat(one) || (isObject(one) && Object.values(one).every(isFlat)));

// Two thirds are no seventeen digits; the JSON has them.
const shortNumber = (value: string | number | boolean): string =>
  typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < 1000 ? String(Number(value.toPrecision(6))) : String(value);

const Pairs = ({ of }: { of: Record<string, unknown> }) => (
  <dl class="pairs">{Object.entries(of).map(([name, value]) => <div key={name}><dt><Text of={plainWords(name)} /></dt><dd><Value of={value} /></dd></div>)}</dl>
);

function Records({ of }: { of: Record<string, unknown>[] }) {
  const columns = [...new Set(of.flatMap((one) => Object.keys(one)))];
  return (
    <ScrollBox label="Table of values" long={of.length > 12}>
      <table>
        <thead><tr>{columns.map((name) => <th key={name} scope="col"><Text of={fieldWords(name)} /></th>)}</tr></thead>
        <tbody>{of.map((one, i) => <tr key={i}>{columns.map((name) => <td key={name} class="upper">{one[name] === undefined ? '' : <Value of={one[name]} inTable />}</td>)}</tr>)}</tbody>
      </table>
    </ScrollBox>
  );
}

// A table holds no table: `inTable`, a list of objects is a list.
export function Value({ of, inTable = false }: { of: unknown; inTable?: boolean }) {
  if (of === null || of === undefined) return <span class="note">none</span>;
  if (typeof of === 'string') return <Block of={of} />;
  if (isPlain(of)) return <span>{shortNumber(of)}</span>;
  if (Array.isArray(of)) {
    if (of.length === 0) return <span class="note">empty list</span>;
    if (inTable && of.every((one) => isPlain(one) && typeof one !== 'string')) return <span>{of.map(String).join(', ')}</span>;
    if (of.every(isPlain)) return <ul class="plain-list">{of.map((one, i) => <li key={i}><Value of={one} /></li>)}</ul>;
    if (of.every(isRecord)) return inTable ? <ul class="plain-list">{of.map((one, i) => <li key={i}><Pairs of={one} /></li>)}</ul> : <Records of={of} />;
  }
  if (isRecord(of)) return Object.keys(of).length > 0 ? <Pairs of={of} /> : <span class="note">empty</span>;
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

// `show` may have a form of its own for a field.
export function Fields({ of, show }: { of: [string, unknown][]; show?: (name: string, value: unknown) => ComponentChild }) {
  return (
    <dl class="fields">
      {of.map(([name, value]) => <div key={name}><dt><Text of={titleWords(fieldWords(name))} /></dt><dd>{show?.(name, value) ?? <Value of={value} />}</dd></div>)}
    </dl>
  );
}
