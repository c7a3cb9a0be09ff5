// A case of an experiment: its answers beside each other with what the judges said of them, run by run, and what that comes
// to over all runs. A case may have hundreds of comparisons, so a run is drawn when it is opened.
import type { ComponentChildren } from 'preact';
import { countWords, countedWords, numberWords, notAvailable, plainWords, shareWords } from '../../figures/words';
import { Section } from '../../parts';
import { Folded } from '../../text/folded';
import { ScrollBox } from '../../tables/scroll_box';
import { Block, Inline, Text } from '../../text/text';
import { aptnessOf, scoreTable, talliesOf, type Mark, type Preference, type RoleVerdict, type TrialAnswer, type Trials } from './trials';

function Table({ title, heads, children }: { title: string; heads: string[]; children: ComponentChildren }) {
  return (
    <ScrollBox label={`Table: ${title}`}>
      <table>
        <caption class="visually-hidden">{title}</caption>
        <thead><tr>{heads.map((name) => <th key={name} scope="col"><Text of={name} /></th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollBox>
  );
}

const Answers = ({ of }: { of: TrialAnswer[] }) => (
  <div class="answers">{of.map(({ condition, text }) => <article key={condition} class="answer"><h3><Inline of={plainWords(condition)} /></h3><Block of={text} /></article>)}</div>
);

function Preferences({ of }: { of: Preference[] }) {
  return (
    <>
      <Table title="Pairs" heads={['judge', 'shown first', 'shown second', 'winner', 'reason']}>
        {of.map((one, i) => (
          <tr key={i}>
            <td class="upper">{one.judge}</td>
            <td class="upper"><Inline of={plainWords(one.first)} /></td><td class="upper"><Inline of={plainWords(one.second)} /></td>
            <td class="upper"><strong><Inline of={one.winner ? plainWords(one.winner) : notAvailable} /></strong></td>
            <td class="upper text"><Block of={one.reason} /></td>
          </tr>
        ))}
      </Table>
      <Folded summary="By criterion, with reasons">
        {() => (
          <Table title="Pairs by criterion" heads={['judge', 'pair', 'criterion', 'choice', 'reason']}>
            {of.flatMap((one, i) => one.criteria.map(({ name, choice, reason }) => (
              <tr key={`${i} ${name}`}>
                <td class="upper">{one.judge}</td>
                <td class="upper"><Inline of={`${plainWords(one.first)} / ${plainWords(one.second)}`} /></td>
                <td class="upper"><Inline of={plainWords(name)} /></td><td class="upper"><Inline of={plainWords(choice)} /></td><td class="upper text"><Block of={reason} /></td>
              </tr>
            )))}
          </Table>
        )}
      </Folded>
    </>
  );
}

const Ratings = ({ of }: { of: Mark[] }) => (
  <Table title="Ratings with reasons" heads={['judge', 'condition', 'criterion', 'score', 'reason']}>
    {of.map((one, i) => (
      <tr key={i}>
        <td class="upper">{one.judge}</td><td class="upper"><Inline of={plainWords(one.condition)} /></td>
        <td class="upper"><Inline of={plainWords(one.criterion)} /></td><td class="upper">{one.score ?? notAvailable}</td><td class="upper text"><Block of={one.reason} /></td>
      </tr>
    ))}
  </Table>
);

const Roles = ({ of }: { of: RoleVerdict[] }) => (
  <Table title="Roles with reasons" heads={['condition', 'judge', 'suits the question', 'reason']}>
    {of.map((one, i) => (
      <tr key={i}>
        <td class="upper"><Inline of={plainWords(one.condition)} /></td><td class="upper">{one.judge}</td>
        <td class="upper">{one.suits === null ? notAvailable : one.suits ? 'yes' : 'no'}</td><td class="upper text"><Block of={one.reason} /></td>
      </tr>
    ))}
  </Table>
);

function Run({ trials, run }: { trials: Trials; run: number }) {
  const here = <T extends { run: number }>(all: T[]): T[] => all.filter((one) => one.run === run);
  const [preferences, marks, roles] = [here(trials.preferences), here(trials.marks), here(trials.roles)];
  return (
    <div class="trial-run">
      <Answers of={here(trials.answers)} />
      {preferences.length > 0 && <Folded summary={`${countedWords(preferences.length, 'comparison', 'comparisons')} of two of them, each with its reason`}>{() => <Preferences of={preferences} />}</Folded>}
      {marks.length > 0 && <Folded summary={`${countedWords(marks.length, 'rating', 'ratings')}, each with its reason`}>{() => <Ratings of={marks} />}</Folded>}
      {roles.length > 0 && <Folded summary={`${countedWords(roles.length, 'verdict', 'verdicts')} on whether the role suits, each with its reason`}>{() => <Roles of={roles} />}</Folded>}
    </div>
  );
}

// The first run lies open: it shows what the others have too.
function Runs({ trials }: { trials: Trials }) {
  const runs = [...new Set([...trials.answers, ...trials.preferences, ...trials.marks, ...trials.roles].map(({ run }) => run))].sort((a, b) => a - b);
  const [only] = runs;
  if (only !== undefined && runs.length === 1) return <Run trials={trials} run={only} />;
  return <>{runs.map((run, i) => <Folded key={run} summary={`Run ${run} of ${runs.length}`} opened={i === 0}>{() => <Run trials={trials} run={run} />}</Folded>)}</>;
}

function Tallies({ of }: { of: Preference[] }) {
  const tallies = talliesOf(of);
  const undecided = tallies.some((one) => one.undecided > 0);
  return (
    <>
      <p class="note">Over all judges, runs and both orders of showing.</p>
      <Table title="Preferences" heads={['pair', 'comparisons', 'won', 'tie', 'lost', ...(undecided ? ['undecided'] : [])]}>
        {tallies.map((one) => (
          <tr key={one.conditions.join('~')}>
            <th scope="row"><Inline of={one.conditions.map(plainWords).join(' against ')} /></th>
            <td>{countWords(one.of)}</td>
            {[one.wins[0] ?? 0, one.ties, one.wins[1] ?? 0, ...(undecided ? [one.undecided] : [])].map((count, i) => <td key={i}><strong>{countWords(count)}</strong> <span class="note">{shareWords(count / one.of)}</span></td>)}
          </tr>
        ))}
      </Table>
    </>
  );
}

const few = 9;
const mean = (scores: number[]): string => (scores.length === 0 ? notAvailable : numberWords(scores.reduce((sum, one) => sum + one, 0) / scores.length));
const spread = (scores: number[]): string =>
  scores.length <= few ? scores.join(', ') : `${Math.min(...scores)} – ${Math.max(...scores)}, n = ${countWords(scores.length)}`;

function Scores({ of }: { of: Mark[] }) {
  const { conditions, rows } = scoreTable(of);
  const judges = new Set(of.map(({ judge }) => judge)).size;
  return (
    <>
      <p class="note">Mean score of {countedWords(judges, 'judge', 'judges')}, and how far the scores lie apart.</p>
      <Table title="Ratings" heads={['criterion', ...conditions.map(plainWords)]}>
        {rows.map(({ criterion, scores }) => (
          <tr key={criterion}>
            <th scope="row"><Inline of={plainWords(criterion)} /></th>
            {scores.map((given, i) => <td key={i}><strong>{mean(given)}</strong> <span class="note">{spread(given)}</span></td>)}
          </tr>
        ))}
      </Table>
    </>
  );
}

const Aptness = ({ of }: { of: RoleVerdict[] }) => (
  <Table title="Roles" heads={['condition', 'suits the question']}>
    {aptnessOf(of).map(({ condition, apt, of: said }) => (
      <tr key={condition}><th scope="row"><Inline of={plainWords(condition)} /></th><td>{said === 0 ? notAvailable : `${countWords(apt)} of ${countedWords(said, 'verdict', 'verdicts')}`}</td></tr>
    ))}
  </Table>
);

export function TrialsView({ trials }: { trials: Trials }) {
  const { answers, preferences, marks, roles } = trials;
  return (
    <>
      {answers.length > 0
        ? <Section id="answers" title="Answers by condition" note="as the judges saw them"><Runs trials={trials} /></Section>
        : preferences.length > 0 && <Section id="answers" title="What the judges said"><Runs trials={trials} /></Section>}
      {preferences.length > 0 && <Section id="pairs" title="Pairs"><Tallies of={preferences} /></Section>}
      {marks.length > 0 && <Section id="ratings" title="Ratings"><Scores of={marks} /></Section>}
      {roles.length > 0 && <Section id="roles" title="Roles"><Aptness of={roles} /></Section>}
    </>
  );
}
