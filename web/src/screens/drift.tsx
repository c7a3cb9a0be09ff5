// Has a judge changed? What runs said of their anchors, series by series: the plain answer, the changes, and run by run.
import { runAddress, type Query } from '../address';
import { withQuery } from '../api/client';
import { Await, useLoaded } from '../api/loading';
import type { DriftOfRuns, DriftSeries, Estimate, Figure } from '../api/types';
import { countedWords, countWords, metricWords, notAvailable, numberWords, plainWords, shareWords, timeWords, titleWords } from '../figures/words';
import { Link, usePlace } from '../navigation';
import { Conclusions, Section, SimulatedBanner, useTitle } from '../parts';
import { EstimateCell, StackTable } from '../tables/stack_table';
import { Inline, Name, Text } from '../text/text';

const shift = (estimate: Estimate): Figure => ({ name: 'shift', estimate, form: 'number', better: 'neither', reference: 0 });
const valueOrNone = (value: number | null): string => (value === null ? notAvailable : numberWords(value));

function Series({ of, ids }: { of: DriftSeries; ids: Map<string, string> }) {
  const RunName = ({ directory }: { directory: string }) => {
    const id = ids.get(directory);
    return id === undefined ? <Name of={directory} /> : <Link to={runAddress(id)}><Name of={id} /></Link>;
  };
  const marks = (directory: string): string =>
    of.drifts.flatMap(({ since, found_after: found }) => [...(since === directory ? ['changed'] : []), ...(found === directory ? ['known'] : [])]).join(', ');
  return (
    <>
      <p class="what">{of.judge && <>judged by <Text of={of.judge} /> · </>}anchors <code><Name of={of.anchors.file} /></code> · {countedWords(of.runs.length, 'run', 'runs')}</p>
      {of.differs.length > 0 && <p class="note">Declared otherwise than the series before: <Text of={of.differs.join('; ')} />.</p>}
      {of.drifts.length > 0 && (
        <StackTable title="Changes"
          columns={[{ head: 'from' }, { head: 'known after' }, { head: 'seen as' }, { head: 'shift, after − before', kind: 'range' }, { head: 'closer to people’s labels', kind: 'range' }, { head: 'anchors', kind: 'number' }, { head: 'evidence', kind: 'number' }]}
          rows={of.drifts.map((one, i) => ({ key: String(i), cells: [
            <RunName key="since" directory={one.since} />,
            <RunName key="found" directory={one.found_after} />,
            one.way === 'further' ? 'further away' : plainWords(one.way),
            <EstimateCell key="shift" figure={shift(one.shift)} />,
            <EstimateCell key="closeness" figure={shift(one.closeness_shift)} />,
            countWords(one.shift.n),
            valueOrNone(one.evidence),
          ] }))} />
      )}
      <StackTable title="Run by run"
        columns={[{ head: 'run' }, { head: 'started' }, { head: 'anchors', kind: 'number' }, { head: 'mean', kind: 'number' }, { head: 'agreement', kind: 'number' }, { head: 'evidence', kind: 'number' }, { head: '' }]}
        rows={of.runs.map((one) => ({ key: one.directory, cells: [
          <RunName key="run" directory={one.directory} />,
          <span key="started" class="when note">{timeWords(one.started)}</span>,
          countWords(one.judged),
          valueOrNone(one.mean),
          one.agreement === null ? notAvailable : shareWords(one.agreement),
          valueOrNone(one.evidence),
          marks(one.directory) && <span key="mark" class="outcome open">{marks(one.directory)}</span>,
        ] }))} />
      <p class="note">Agreement: the share of labelled anchors on which the judge says what people say. Evidence: what a gambler against “nothing has changed” has made of 1; a change is told from 20 on.</p>
    </>
  );
}

const simulated = (series: DriftSeries[]): string[] => [...new Set(series.flatMap(({ judge }) => judge.match(/(?<![\w/.-])sim\/[^\s,]+/g) ?? []))];

function Found({ of: { drift, runs, unread, left_out: leftOut } }: { of: DriftOfRuns }) {
  const ids = new Map(runs.map(({ id, directory }) => [directory, id]));
  return (
    <>
      <SimulatedBanner models={simulated(drift.series)} />
      {drift.series.length === 0
        ? <p>No finished run here has anchors: labelled cases that every run has judged beside its own. Put <code>anchors: FILE</code> into the config of an evaluation with a judge.</p>
        : <Conclusions of={drift.sentences} />}
      {unread.length > 0 && (
        <div class="trouble" role="alert">
          <p>{countedWords(unread.length, 'run', 'runs')} could not be read, and {unread.length === 1 ? 'is' : 'are'} left out:</p>
          <ul>{unread.map(({ id, message }) => <li key={id}><Inline of={id} />: <Text of={message} /></li>)}</ul>
        </div>
      )}
      {leftOut > 0 && <p class="note">{countedWords(leftOut, 'older run', 'older runs')} with anchors left out.</p>}
      {[...drift.series].reverse().map((one, i) => (
        <Section key={i} id={`series-${i + 1}`} title={metricWords(one.figure)} note={titleWords(one.evaluation)}><Series of={one} ids={ids} /></Section>
      ))}
    </>
  );
}

export function DriftScreen({ query }: { query: Query }) {
  const { run, evaluation } = query;
  const loaded = useLoaded<DriftOfRuns>(withQuery('/api/drift', { run, evaluation }));
  useTitle('Has a judge changed?');
  usePlace(`drift ${run ?? ''} ${evaluation ?? ''}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> {run && <><Link to={runAddress(run)}><Name of={run} /></Link> <span aria-hidden="true">/</span> </>}drift</p>
      <h1>Has a judge changed?</h1>
      <Await of={loaded}>{(found) => <Found of={found} />}</Await>
      {(run ?? evaluation) && <p><Link to="/drift">All runs with anchors</Link></p>}
    </>
  );
}
