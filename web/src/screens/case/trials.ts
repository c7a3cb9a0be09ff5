// What a case of an experiment holds, out of its calls: the answers by condition, what each judge preferred of two of
// them, and how it rated each. The judges saw them blinded as A and B; whose they were is found by their texts. Pure.
import type { Effect } from '../../api/types';
import { listOf, objectOf, textOf } from './material';

export interface TrialAnswer { condition: string; run: number; text: string }
export interface Preference { judge: string; run: number; conditions: string[]; first: string; second: string; winner: string; reason: string; criteria: { name: string; choice: string; reason: string }[] }
export interface Mark { judge: string; run: number; condition: string; criterion: string; score: number | null; reason: string }
export interface RoleVerdict { judge: string; run: number; condition: string; suits: boolean | null; reason: string }
export interface Trials { answers: TrialAnswer[]; preferences: Preference[]; marks: Mark[]; roles: RoleVerdict[] }

const stepForm = /^(pair|rating|role)\/([^/]+)\/(.+)\/run(\d+)(\/swapped)?$/;
const answerForm = /^response\/(.+)\/run(\d+)$/;

// The text between the tags in which a judge was shown it.
function shown(effect: Effect, tag: string): string {
  const asked = listOf(objectOf(effect.request)['messages']).map((message) => textOf(objectOf(message)['text'])).join('\n');
  return new RegExp(`<${tag}>\\n([\\s\\S]*?)\\n</${tag}>`).exec(asked)?.[1] ?? '';
}

function said(effect: Effect): string {
  return textOf(objectOf(objectOf(effect.reply)['message'])['text']);
}

function judgement(effect: Effect): Record<string, unknown> {
  const text = said(effect);
  try {
    return objectOf(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  } catch {
    return {};  // in lines instead of JSON, or not usable: the call shows it as it is
  }
}

// Of several attempts at a step the last is the one that counts.
function lastAttempts(effects: Effect[]): Effect[] {
  return [...new Map([...effects].sort((a, b) => a.attempt - b.attempt).map((effect) => [effect.step, effect])).values()];
}

export function trialsOf(effects: Effect[]): Trials {
  const trials: Trials = { answers: [], preferences: [], marks: [], roles: [] };
  const answer = (condition: string, run: number, text: string): void => {
    if (text !== '' && !trials.answers.some((one) => one.condition === condition && one.run === run)) trials.answers.push({ condition, run, text });
  };
  const steps = lastAttempts(effects).flatMap((effect) => {
    const [, kind = '', judge = '', condition = '', run = '0'] = stepForm.exec(effect.step) ?? [];
    return kind ? [{ effect, kind, judge, condition, run: Number(run), given: judgement(effect) }] : [];
  });
  for (const { effect, kind, judge, condition, run, given } of steps) {
    if (kind === 'pair') continue;
    answer(condition, run, shown(effect, 'response'));
    if (kind === 'role') trials.roles.push({ judge, run, condition, suits: typeof given['appropriate'] === 'boolean' ? given['appropriate'] : null, reason: textOf(given['reason']) });
    else {
      for (const [criterion, value] of Object.entries(given)) {
        const { score, reason } = objectOf(value);
        trials.marks.push({ judge, run, condition, criterion, score: typeof score === 'number' ? score : null, reason: textOf(reason) });
      }
    }
  }
  for (const effect of lastAttempts(effects)) {
    const [, condition, run] = answerForm.exec(effect.step) ?? [];
    if (condition !== undefined) answer(condition, Number(run), said(effect));
  }
  for (const { effect, kind, judge, condition, run, given } of steps) {
    if (kind !== 'pair') continue;
    const ownerOf = (text: string): string[] => trials.answers.filter((one) => one.run === run && one.text === text && condition.split('~').includes(one.condition)).map((one) => one.condition);
    const [a, b] = [ownerOf(shown(effect, 'response_a')), ownerOf(shown(effect, 'response_b'))];
    // Two equal texts cannot be told apart by them.
    const [first, second] = a.length === 1 && b.length === 1 ? [a[0] ?? '', b[0] ?? ''] : ['A', 'B'];
    const named = (choice: unknown): string => (choice === 'A' ? first : choice === 'B' ? second : textOf(choice).toLowerCase());
    const criteria = Object.entries(given).flatMap(([name, value]) => {
      const { choice, reason } = objectOf(value);
      return choice === undefined ? [] : [{ name, choice: named(choice), reason: textOf(reason) }];
    });
    trials.preferences.push({ judge, run, conditions: condition.split('~'), first, second, winner: named(given['winner']), reason: criteria.find(({ name }) => name === 'overall')?.reason ?? '', criteria });
  }
  const order = (one: { run: number; judge: string; condition?: string }): string => `${one.run}`.padStart(4, '0') + one.judge.padStart(4, '0') + (one.condition ?? '');
  const inOrder = (a: { run: number; judge: string }, b: { run: number; judge: string }): number => order(a).localeCompare(order(b));
  trials.preferences.sort(inOrder);
  trials.marks.sort(inOrder);
  trials.roles.sort(inOrder);
  trials.answers.sort((a, b) => a.run - b.run || a.condition.localeCompare(b.condition));
  return trials;
}

// The same as a report holds it, which has no calls; null if it holds none.
export function trialsIn(input: Record<string, unknown> | null): Trials | null {
  if (input === null || !('trials' in input)) return null;
  const given = input['trials'] as Trials;
  return { ...given, preferences: given.preferences.map((one) => ({ ...one, reason: one.criteria.find(({ name }) => name === 'overall')?.reason ?? '' })) };
}

export interface Tally { conditions: string[]; wins: number[]; ties: number; undecided: number; of: number }

// How often each of two conditions was preferred, over all judges, runs and both orders of showing. Undecided is what
// cannot be used, and a winner among two equal texts, which nobody can tell apart.
export function talliesOf(preferences: Preference[]): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { conditions, winner } of preferences) {
    const tally = tallies.get(conditions.join('~')) ?? { conditions, wins: conditions.map(() => 0), ties: 0, undecided: 0, of: 0 };
    tallies.set(conditions.join('~'), tally);
    const won = conditions.indexOf(winner);
    tally.of += 1;
    if (won >= 0) tally.wins[won] = (tally.wins[won] ?? 0) + 1;
    else if (winner === 'tie') tally.ties += 1;
    else tally.undecided += 1;
  }
  return [...tallies.values()].sort((a, b) => a.conditions.join('~').localeCompare(b.conditions.join('~')));
}

// By condition how many verdicts found its role apt.
export function aptnessOf(roles: RoleVerdict[]): { condition: string; apt: number; of: number }[] {
  const conditions = [...new Set(roles.map(({ condition }) => condition))].sort();
  return conditions.map((condition) => {
    const said = roles.filter((one) => one.condition === condition && one.suits !== null);
    return { condition, apt: said.filter(({ suits }) => suits).length, of: said.length };
  });
}

// By criterion and condition the scores of all judges, in their order.
export function scoreTable(marks: Mark[]): { conditions: string[]; rows: { criterion: string; scores: number[][] }[] } {
  const conditions = [...new Set(marks.map(({ condition }) => condition))].sort();
  const criteria = [...new Set(marks.map(({ criterion }) => criterion))];
  const scores = (criterion: string, condition: string): number[] => marks.flatMap((one) => (one.criterion === criterion && one.condition === condition && one.score !== null ? [one.score] : []));
  return { conditions, rows: criteria.map((criterion) => ({ criterion, scores: conditions.map((condition) => scores(criterion, condition)) })) };
}
