// One case: what it was, what was wanted, what came, why it was judged so, and every call that it took. The page shows it
// with its calls, a report without.
import type { CaseView } from '../../api/types';
import { Section } from '../../parts';
import { Block, Text } from '../../text/text';
import { JsonOnDemand } from '../../text/value';
import { agentTurns, questionOf } from './agent_run';
import { Answers } from './answers';
import { answersOf } from './answers_of';
import { CaseFields, Transcript } from './case_fields';
import { JudgedMetrics, Scores, VerdictRows } from './judges';
import { listOf, materialOf, objectOf, type Field } from './material';
import { errorOf, Timeline } from './timeline';
import { trialsIn, trialsOf } from './trials';
import { TrialsView } from './trials_view';

// In a report the calls are not at hand.
export type ShownCase = Pick<CaseView, 'id' | 'input' | 'result' | 'notes'> & Partial<Pick<CaseView, 'effects' | 'evaluation'>>;

// Fields of the result that a part of the case's page says in full: counts of what is listed, how the score came about.
const saidByTrials = new Set(['pairs', 'ratings', 'role_verdicts']);
const saidWithScores = new Set(['scorer', 'details']);
// What a run of a benchmark's task was, as against how it went.
const task = new Set(['file', 'input', 'system', 'model', 'variation', 'run']);
const without = (fields: Field[], names: Set<string>): Field[] => fields.filter(([name]) => !names.has(name));

// `calls`: whether each call is listed, which of many cases would be thousands.
export function CaseBody({ view, calls = true }: { view: ShownCase; calls?: boolean }) {
  const result = view.result ?? {};
  const trials = view.evaluation === 'experiment' ? trialsOf(view.effects ?? []) : trialsIn(view.input ?? null);
  const turns = view.evaluation === 'benchmark' ? agentTurns(view.effects ?? []) : [];
  const { input, expected, actual: came, more } = materialOf(view);
  const scoring = [...input, ...more].filter(([name]) => saidWithScores.has(name));
  const given = without(input, saidWithScores);
  const isTask = ([name]: Field): boolean => turns.length === 0 || task.has(name);
  const question: Field[] = turns.length > 0 ? [['question', questionOf(turns)]] : [];
  const material = {
    input: [...question, ...given.filter(isTask)], expected, actual: came,
    more: [...given.filter((field) => !isTask(field)), ...without(more, trials ? new Set([...saidByTrials, ...saidWithScores]) : saidWithScores)],
  };
  const answers = answersOf(result);
  const metrics = objectOf(result['metrics']);
  const verdicts = listOf(result['verdicts']);
  const scores = Object.entries(objectOf(result['scores']));
  const error = errorOf(result);
  // A declared evaluation shows what came beside its metrics, variant by variant.
  const actual = answers.length > 0 ? [] : material.actual;
  return (
    <>
      {view.notes.map((note, i) => <p key={i} class="banner" role="note"><Text of={note} /></p>)}
      {error && <Section id="error" title="Why it failed"><Block of={error} className="why" /></Section>}
      {material.input.length > 0 && <Section id="input" title="Input"><CaseFields of={material.input} /></Section>}
      {(material.expected.length > 0 || actual.length > 0) && (
        <div class="beside">
          {material.expected.length > 0 && <Section id="expected" title="Expected"><CaseFields of={material.expected} /></Section>}
          {actual.length > 0 && <Section id="actual" title="Actual"><CaseFields of={actual} /></Section>}
        </div>
      )}
      {answers.length > 0 && <Section id="answers" title="Answers"><Answers answers={answers} /></Section>}
      {trials && <TrialsView trials={trials} />}
      {Object.keys(metrics).length > 0 && <Section id="judges" title="Judges"><JudgedMetrics metrics={metrics} /></Section>}
      {verdicts.length > 0 && <Section id="verdicts" title="Verdicts"><VerdictRows verdicts={verdicts} /></Section>}
      {material.more.length > 0 && <Section id="more" title="More of the result"><CaseFields of={material.more} /></Section>}
      {scores.length + scoring.length > 0 && (
        <Section id="scores" title="Scores">
          {scoring.length > 0 && <CaseFields of={scoring} />}
          {scores.length > 12 ? <details class="more"><summary>{scores.length} figures that this case counts in</summary><Scores scores={scores} /></details> : <Scores scores={scores} />}
        </Section>
      )}
      {turns.length > 0 && <Section id="transcript" title="Transcript"><Transcript turns={turns} /></Section>}
      {calls && view.effects && <Section id="timeline" title="Timeline"><Timeline effects={view.effects} /></Section>}
      <Section id="json" title="JSON"><JsonOnDemand of={view} what="Everything on this case" /></Section>
    </>
  );
}
