// Conversations with what was said of each guideline beside the messages that it rests on, and all of them as one map.
import type { CaseView } from '../../api/types';
import { plainText } from '../../text/code_points';
import { ScrollBox } from '../../tables/scroll_box';
import { Block, Inline, Name } from '../../text/text';
import { Transcript } from '../case/case_fields';
import { conversationOf, verdictsOf, type GuidelineVerdict, type Segment, type Verdict } from './groups';

const signs: Record<Verdict, string> = { applied: '✓', 'not applied': '✗', undetermined: '?', skipped: '–' };
const classes: Record<Verdict, string> = { applied: 'pass', 'not applied': 'fail', undetermined: 'open', skipped: 'open' };

export function GuidelineMap({ cases }: { cases: CaseView[] }) {
  const rows = cases.map(({ id, result }) => ({ id, verdicts: new Map(verdictsOf(result ?? {}).map((one) => [one.guideline, one])) }));
  const guidelines = [...new Set(rows.flatMap(({ verdicts }) => [...verdicts.keys()]))];
  if (guidelines.length === 0) return null;
  return (
    <>
      <ScrollBox label="Conversations by guidelines">
        <table class="matrix tall map">
          <caption class="visually-hidden">Conversations by guidelines</caption>
          <thead><tr><th scope="col" class="corner">conversation</th>{guidelines.map((name) => <th key={name} scope="col"><Name of={name} /></th>)}</tr></thead>
          <tbody>{rows.map(({ id, verdicts }) => (
            <tr key={id}>
              <th scope="row"><a href={`#${encodeURIComponent(`read ${id}`)}`}><Name of={id} /></a></th>
              {guidelines.map((name) => {
                const one = verdicts.get(name);
                if (!one) return <td key={name} />;
                return <td key={name} class={`verdict-cell ${classes[one.verdict]}${one.isOther ? ' other' : ''}`} title={plainText(`${name}: ${one.verdict}${one.isOther ? ', other than expected' : ''}`)}>{signs[one.verdict]}<span class="visually-hidden"> {one.verdict}{one.isOther && ', other than expected'}</span></td>;
              })}
            </tr>
          ))}</tbody>
        </table>
      </ScrollBox>
      <p class="note">✓ applied, ✗ not applied, ? undetermined, – skipped; framed: other than expected</p>
    </>
  );
}

const SegmentView = ({ of }: { of: Segment }) => (
  <div class={`segment ${classes[of.verdict]}`}>
    <p><strong>{signs[of.verdict]} <Inline of={of.guideline} /></strong></p>
    {of.text && <Block of={of.text} className="note" />}
    <Block of={of.why} />
  </div>
);

function VerdictLine({ of: { guideline, verdict, expected, isOther } }: { of: GuidelineVerdict }) {
  return <li class={classes[verdict]}>{signs[verdict]} <strong><Inline of={guideline} /></strong> {verdict}{expected !== null && <span class={isOther ? 'why' : 'note'}> · expected: {expected ? 'applied' : 'not applied'}</span>}</li>;
}

export function JudgedConversation({ view }: { view: CaseView }) {
  const turns = conversationOf(view);
  const verdicts = verdictsOf(view.result ?? {});
  const segments = verdicts.flatMap((one) => one.segments);
  const numbers = new Set(turns.map(({ number }) => number));
  const elsewhere = segments.filter(({ message }) => message === null || !numbers.has(message));
  return (
    <>
      <ul class="plain-list verdict-lines">{verdicts.map((one) => <VerdictLine key={one.guideline} of={one} />)}</ul>
      <div class="judged-turns">
        {turns.map((turn, i) => (
          <div key={i} class="judged-turn">
            <Transcript turns={[turn]} />
            <div>{segments.filter(({ message }) => message === turn.number).map((one, j) => <SegmentView key={j} of={one} />)}</div>
          </div>
        ))}
      </div>
      {elsewhere.map((one, i) => <SegmentView key={i} of={one} />)}
    </>
  );
}
