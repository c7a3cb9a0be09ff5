// Cases that are read beside each other: what several systems made of the same task, else each by itself. Pure.
import type { CaseView } from '../../api/types';
import { listOf, objectOf, textOf } from '../case/material';
import { turnsOf, isConversation, type Turn } from '../case/conversation';

export interface Group { title: string; cases: CaseView[] }

const taskOf = ({ evaluation, result, id }: CaseView): string => {
  if (evaluation !== 'benchmark' || !result) return id;
  const name = textOf(result['input']);
  const run = result['run'];
  return `${name}, variation ${textOf(result['variation'])}${typeof run === 'number' && run > 1 ? `, run ${run}` : ''}`;
};

// In the order of their first case.
export function groupsOf(cases: CaseView[]): Group[] {
  const groups = new Map<string, CaseView[]>();
  for (const one of cases) groups.set(taskOf(one), [...(groups.get(taskOf(one)) ?? []), one]);
  return [...groups].map(([title, members]) => ({ title, cases: members }));
}

export interface Segment { guideline: string; verdict: Verdict; text: string; why: string; message: number | null }
export type Verdict = 'applied' | 'not applied' | 'undetermined' | 'skipped';
export interface GuidelineVerdict { guideline: string; verdict: Verdict; expected: boolean | null; isOther: boolean; segments: Segment[] }

// What was said of each guideline, with the parts of the conversation that it rests on.
export function verdictsOf(result: Record<string, unknown>): GuidelineVerdict[] {
  return listOf(result['verdicts']).map(objectOf).map((one) => {
    const applied = one['applied'];
    const verdict: Verdict = applied === true ? 'applied' : applied === false ? 'not applied' : one['skipped'] === undefined ? 'undetermined' : 'skipped';
    const expected = typeof one['expected'] === 'boolean' ? one['expected'] : null;
    const guideline = textOf(one['guideline']);
    return {
      guideline, verdict, expected, isOther: expected !== null && typeof applied === 'boolean' && applied !== expected,
      segments: listOf(one['guideline_applied_rationale']).map(objectOf).map((part) => ({
        guideline, verdict, text: textOf(part['action_segment']), why: textOf(part['action_applied_rationale']),
        message: typeof part['message_index'] === 'number' ? part['message_index'] : null,
      })),
    };
  });
}

// The conversation of a case, wherever its data have it; each turn with the number by which judges point to it.
export function conversationOf({ input }: CaseView): Turn[] {
  const found = Object.values(input ?? {}).find(isConversation);
  return found === undefined ? [] : turnsOf(found).map((turn, i) => ({ ...turn, number: turn.number ?? i }));
}
