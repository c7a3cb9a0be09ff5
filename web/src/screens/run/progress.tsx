// How far a run is, for as long as it is under way.
import type { RunGlance, Worker } from '../../api/types';
import { countedWords, countWords, durationWords } from '../../figures/words';
import { Text } from '../../text/text';

export const stateWords: Record<RunGlance['state'], string> = { running: 'running', unfinished: 'unfinished', done: 'done', 'gate failed': 'gate failed' };
export const stateClass = (state: RunGlance['state']): string => ({ running: 'live', unfinished: 'open', done: 'pass', 'gate failed': 'fail' })[state];

export const RunStateMark = ({ state }: { state: RunGlance['state'] }) => <span class={`outcome ${stateClass(state)}`}>{stateWords[state]}</span>;

// Who works on it, on whichever machine.
export function Workers({ workers }: { workers: Worker[] }) {
  return (
    <table class="workers">
      <thead><tr><th scope="col">Worker</th><th scope="col">Share of the limits</th><th scope="col">Last sign of life</th></tr></thead>
      <tbody>
        {workers.map(({ name, share, silent_seconds, why_not }) => (
          <tr key={name}>
            <th scope="row"><Text of={name} /></th>
            <td>{why_not === null ? `${Math.round(share * 100)} %` : <>takes no cases: <Text of={why_not} /></>}</td>
            <td>{silent_seconds < 2 ? 'now' : `${Math.round(silent_seconds)} s ago`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Progress({ run }: { run: RunGlance }) {
  const share = run.cases > 0 ? Math.min(1, run.done / run.cases) : 0;
  const { live } = run;
  return (
    <div class="progress">
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={`${countWords(run.done)} of ${run.cases > 0 ? countWords(run.cases) : 'unknown many'} cases done`}>
        <rect class="whole" width="100" height="4" /><rect class="part" width={(share * 100).toFixed(2)} height="4" />
      </svg>
      <p class="note">
        {countWords(run.done)}{run.cases > 0 && ` of ${countWords(run.cases)}`} cases
        {run.errored > 0 && `, ${countWords(run.errored)} failed`}
        {live && ` · ${countedWords(live.requests, 'request', 'requests')}, ${countedWords(live.tokens, 'token', 'tokens')}`}
        {live && live.workers.length > 0 && ` · ${countedWords(live.workers.length, 'worker', 'workers')}`}
        {live && live.rate !== null && ` · ${live.rate >= 10 ? live.rate.toFixed(0) : live.rate.toFixed(1)} cases a second`}
        {live && live.seconds_left !== null && ` · about ${durationWords(live.seconds_left * 1000)} left`}
      </p>
    </div>
  );
}
