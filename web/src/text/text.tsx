// Text that others wrote, as text.
import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { countWords } from '../figures/words';
import { plainText, shortened, textParts } from './code_points';
import { mostDiffWords, wordDiff } from './word_diff';

// Characters of a text that are shown before the reader asks for more.
const mostShown = 6_000;

export function Text({ of }: { of: string }) {
  const parts = useMemo(() => textParts(of), [of]);
  return <>{parts.map(({ text, isCode }, i) => (isCode ? <span key={i} class="code-point">{text}</span> : text))}</>;
}

// On a line, apart from what stands around it whatever its direction.
export const Inline = ({ of }: { of: string }) => <bdi><Text of={of} /></bdi>;

// A name that may be broken after its dots, dashes, slashes and underscores, and nowhere else.
export function Name({ of }: { of: string }) {
  const pieces = plainText(of).split(/(?<=[._/-])/);
  return <bdi>{pieces.map((piece, i) => <Fragment key={i}>{i > 0 && <wbr />}{piece}</Fragment>)}</bdi>;
}

const graphemes = new Intl.Segmenter();
// Characters of a name's end that stay where it is cut.
const endKept = 14;

// A name on one line; where it is too long it is cut in its middle, since names often differ at their ends alone.
export function CutName({ of }: { of: string }) {
  const characters = useMemo(() => Array.from(graphemes.segment(plainText(of)), ({ segment }) => segment), [of]);
  if (characters.length <= endKept + 4) return <bdi>{characters.join('')}</bdi>;
  return <bdi class="cut-name"><span>{characters.slice(0, -endKept).join('')}</span><span>{characters.slice(-endKept).join('')}</span></bdi>;
}

// A text with its lines; a very long one is shown in part first.
export function Block({ of, className = '' }: { of: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  if (of === '') return <div class={`prose ${className}`}><span class="note">empty</span></div>;
  const shown = whole ? of : shortened(of, mostShown);
  return (
    <div class={`prose ${className}`} dir="auto">
      <Text of={shown} />
      {shown.length < of.length && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>Show {countWords(of.length - shown.length)} more characters</button>
      )}
    </div>
  );
}

// `after` with what was added against `before` marked, and what was removed struck through.
export function WordDiff({ before, after }: { before: string; after: string }) {
  const { runs, isTakenApart } = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <div class="prose diff" dir="auto">
      {!isTakenApart && <p class="note" dir="ltr">More than {countWords(mostDiffWords)} words differ: they are not compared word by word.</p>}
      {runs.map(({ kind, text }, i) => {
        if (kind === 'added') return <ins key={i}><Text of={text} /></ins>;
        if (kind === 'removed') return <del key={i}><Text of={text} /></del>;
        return <Text key={i} of={text} />;
      })}
    </div>
  );
}
