// A case of an experiment: its answers beside each other, and the judges' preferences, ratings and words on the role as
// tables.
import type { ComponentChildren } from 'preact';
import { countedWords, numberWords, notAvailable, plainWords } from '../../figures/words';
import { Section } from '../../parts';
import { ScrollBox } from '../../tables/scroll_box';
import { Block, Inline, Text } from '../../text/text';
import { scoreTable, type Mark, type Preference, type RoleVerdict, type TrialAnswer, type Trials } from './trials';

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

const mean = (scores: number[]): string => (scores.length === 0 ? notAvailable : numberWords(scores.reduce((sum, one) => sum + one, 0) / scores.length));

function Answers({ answers }: { answers: TrialAnswer[] }) {
  const runs = [...new Set(answers.map(({ run }) => run))];
  return (
    <>
      {runs.map((run) => (
        <section key={run} class="answer-row" aria-label={`Run ${run}`}>
          {runs.length > 1 && <p class="note">Run {run} of {runs.length}</p>}
          <div class="answers">{answers.filter((one) => one.run === run).map(({ condition, text }) => <article key={condition} class="answer"><h3><Inline of={plainWords(condition)} /></h3><Block of={text} /></article>)}</div>
        </section>
      ))}
    </>
  );
}

function Preferences({ of }: { of: Preference[] }) {
  return (
    <>
      <Table title="Pairs" heads={['judge', 'run', 'shown first', 'shown second', 'winner', 'reason']}>
        {of.map((one, i) => (
          <tr key={i}>
            <td class="upper">{one.judge}</td><td class="upper">{one.run}</td>
            <td class="upper"><Inline of={plainWords(one.first)} /></td><td class="upper"><Inline of={plainWords(one.second)} /></td>
            <td class="upper"><strong><Inline of={one.winner ? plainWords(one.winner) : notAvailable} /></strong></td>
            <td class="upper text"><Block of={one.reason} /></td>
          </tr>
        ))}
      </Table>
      <details class="more">
        <summary>By criterion, with reasons</summary>
        <Table title="Pairs by criterion" heads={['judge', 'run', 'pair', 'criterion', 'choice', 'reason']}>
          {of.flatMap((one, i) => one.criteria.map(({ name, choice, reason }) => (
            <tr key={`${i} ${name}`}>
              <td class="upper">{one.judge}</td><td class="upper">{one.run}</td>
              <td class="upper"><Inline of={`${plainWords(one.first)} / ${plainWords(one.second)}`} /></td>
              <td class="upper"><Inline of={plainWords(name)} /></td><td class="upper"><Inline of={plainWords(choice)} /></td><td class="upper text"><Block of={reason} /></td>
            </tr>
          )))}
        </Table>
      </details>
    </>
  );
}

function Ratings({ of }: { of: Mark[] }) {
  const { conditions, rows } = scoreTable(of);
  const judges = new Set(of.map(({ judge }) => judge)).size;
  return (
    <>
      <p class="note">Mean score of {countedWords(judges, 'judge', 'judges')}, and each one's.</p>
      <Table title="Ratings" heads={['criterion', ...conditions.map(plainWords)]}>
        {rows.map(({ criterion, scores }) => (
          <tr key={criterion}>
            <th scope="row"><Inline of={plainWords(criterion)} /></th>
            {scores.map((given, i) => <td key={i}><strong>{mean(given)}</strong> <span class="note">{given.join(', ')}</span></td>)}
          </tr>
        ))}
      </Table>
      <details class="more">
        <summary>Each rating with its reason</summary>
        <Table title="Ratings with reasons" heads={['judge', 'run', 'condition', 'criterion', 'score', 'reason']}>
          {of.map((one, i) => (
            <tr key={i}>
              <td class="upper">{one.judge}</td><td class="upper">{one.run}</td><td class="upper"><Inline of={plainWords(one.condition)} /></td>
              <td class="upper"><Inline of={plainWords(one.criterion)} /></td><td class="upper">{one.score ?? notAvailable}</td><td class="upper text"><Block of={one.reason} /></td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}

function Roles({ of }: { of: RoleVerdict[] }) {
  return (
    <Table title="Roles" heads={['condition', 'judge', 'run', 'suits the question', 'reason']}>
      {of.map((one, i) => (
        <tr key={i}>
          <td class="upper"><Inline of={plainWords(one.condition)} /></td><td class="upper">{one.judge}</td><td class="upper">{one.run}</td>
          <td class="upper">{one.suits === null ? notAvailable : one.suits ? 'yes' : 'no'}</td><td class="upper text"><Block of={one.reason} /></td>
        </tr>
      ))}
    </Table>
  );
}

export function TrialsView({ trials: { answers, preferences, marks, roles } }: { trials: Trials }) {
  return (
    <>
      {answers.length > 0 && <Section id="answers" title="Answers by condition" note="as the judges saw them"><Answers answers={answers} /></Section>}
      {preferences.length > 0 && <Section id="pairs" title="Pairs"><Preferences of={preferences} /></Section>}
      {marks.length > 0 && <Section id="ratings" title="Ratings"><Ratings of={marks} /></Section>}
      {roles.length > 0 && <Section id="roles" title="Roles"><Roles of={roles} /></Section>}
    </>
  );
}
