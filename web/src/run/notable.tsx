// The cases that are worth a look, the most telling first: what was judged, not only the verdict.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Notable } from '../api/types';
import { countedWords, plainWords, titleWords } from '../figures/words';
import { shortened } from '../text/code_points';
import { Block, Inline, Text } from '../text/text';

const atOnce = 12;
const mostPeek = 160;

// "target_failed"
const isOutcome = (why: string): boolean => /^[a-z]+_[a-z]+$/.test(why);

function NotableCase({ of: { why, fields, id }, isOpen, link }: { of: Notable; isOpen: boolean; link: ComponentChildren }) {
  return (
    <details class="case" open={isOpen}>
      <summary>
        <span class="id"><Inline of={id} /></span><span class="reason"><Inline of={isOutcome(why) ? plainWords(why) : why} /></span>
        <span class="peek"><Inline of={shortened(fields[0]?.text ?? '', mostPeek)} /></span>
      </summary>
      <dl>{fields.map(({ name, text }, i) => [<dt key={`${i} name`}><Text of={titleWords(name)} /></dt>, <dd key={`${i} text`} dir="auto"><Block of={text} /></dd>])}</dl>
      {link && <p class="whole">{link}</p>}
    </details>
  );
}

// `link` leads to the whole case, where there is such a place.
export function NotableCases({ of, link }: { of: Notable[]; link?: ((id: string) => ComponentChildren) | undefined }) {
  const [isAll, setAll] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const shown = isAll ? of : of.slice(0, atOnce);
  return (
    <>
      <p class="note">
        {countedWords(of.length, 'case', 'cases')} worth a look, the most telling first.{' '}
        <button type="button" class="plain" onClick={() => setOpen(!isOpen)}>{isOpen ? 'Close all' : 'Open all'}</button>
      </p>
      {shown.map((one, i) => <NotableCase key={`${i} ${one.id}`} of={one} isOpen={isOpen} link={link?.(one.id)} />)}
      {shown.length < of.length && <p class="more"><button type="button" class="plain" onClick={() => setAll(true)}>Show {countedWords(of.length - shown.length, 'more case', 'more cases')}</button></p>}
    </>
  );
}
