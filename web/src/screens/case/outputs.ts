// What a run made of a case, as texts that can be held against those of another run: its answers, else what its judge
// said of each thing that it judged, with the reasons. Pure.
import type { CaseView } from '../../api/types';
import { plainWords } from '../../figures/words';
import { verdictsOf } from '../read/groups';
import { answersOf } from './answers_of';
import { listOf, materialOf, objectOf, textOf } from './material';
import { trialsOf } from './trials';

export interface Output { name: string; text: string }

// "message 3: because it says so", of each part of a conversation that a verdict rests on.
const guidelineOutputs = (result: Record<string, unknown>): Output[] => verdictsOf(result).map(({ guideline, verdict, segments }) => ({
  name: guideline,
  text: [verdict, ...segments.map(({ message, why }) => `${message === null ? '' : `message ${message}: `}${why}`)].join('\n'),
}));

function personaOutputs(result: Record<string, unknown>): Output[] {
  const verdicts = listOf(result['verdicts']).map(objectOf);
  const items = new Set(verdicts.map(({ itemId }) => itemId));
  return verdicts.map((one) => ({
    name: [items.size > 1 ? textOf(one['itemId']) : '', textOf(one['classificationName']), textOf(one['perspectiveId'])].filter(Boolean).join(' · '),
    text: `${textOf(one['evaluatedSelection'])}: ${textOf(one['evaluationLikert'] ?? one['evaluationAgreement']).toLowerCase()}\n${textOf(one['evaluationText'])}`,
  }));
}

export function outputsOf(view: Pick<CaseView, 'evaluation' | 'input' | 'result' | 'effects'>): Output[] {
  const result = view.result ?? {};
  if (view.evaluation === 'experiment') return trialsOf(view.effects).answers.map(({ condition, run, text }) => ({ name: `${plainWords(condition)} · run ${run}`, text }));
  if (view.evaluation === 'guidelines') return guidelineOutputs(result);
  if (view.evaluation === 'persona') return personaOutputs(result);
  const answers = answersOf(result);
  if (answers.length > 0) return answers.map(({ variant, repeat, output }) => ({ name: `${variant || 'answer'} ${repeat}`, text: output }));
  return materialOf(view).actual.map(([name, value]) => ({ name, text: textOf(value) }));
}
