// Members of what the data service answers, and how they read. Pure.
import { timeWords } from '../../figures/words';

export type Members = Record<string, unknown>;
export const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

// "evaluateTitle|evaluateText": the first of them that says something.
export function memberAt(row: unknown, pointer: string): unknown {
  const found = pointer.split('|').map((one) => one.split('/').reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), row));
  return found.find((value) => value !== undefined && value !== null && value !== '') ?? found[0];
}
export function wordAt(row: unknown, pointer: string): string {
  const value = memberAt(row, pointer);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function instant(milliseconds: number): string {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? String(milliseconds) : timeWords(time.toISOString());
}

// A value as it is shown under its name: times as times, lists of words as words.
export function shownAs(name: string, value: unknown): unknown {
  if (name.endsWith('Ms') && typeof value === 'number') return instant(value);
  // Seconds since 1970, or ISO 8601 with any offset.
  if (name.endsWith('Time') && typeof value === 'number') return instant(value * 1000);
  if (name.endsWith('Time') && typeof value === 'string') return /[+-]\d\d:?\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? instant(Date.parse(value)) : timeWords(value);
  return Array.isArray(value) && value.every(isPlain) ? value.join(', ') : value;
}
export const shownAt = (row: unknown, pointer: string): unknown => shownAs(pointer, memberAt(row, pointer));

// Members whose names say less than the words of the tables.
const knownWords: Record<string, string> = {
  evaluateTime: 'published', evaluateTitle: 'title', evaluateText: 'text', evaluateSourceType: 'source', evaluateSourceOriginator: 'from', evaluateSourceChannel: 'channel', evaluateClassifications: 'classifications',
  classificationName: 'classification', classificationDesc: 'question', classificationValue: 'classified as', classificationOptions: 'options',
  evaluatedSelection: 'judged value', evaluatedSelectionAgreesWithOrig: 'judged value is the original', evaluationLikertVal: 'rating', evaluationLikertText: 'rating in words', evaluationAgreement: 'agreement', evaluationText: 'why',
  openai_model: 'model', eval_info: 'evaluations at a glance',
};
// "publishedMs" as "published", "resultsTotal" as "results total", "job_id" as "job id".
export const memberWords = (name: string): string => knownWords[name] ?? name.replace(/Ms$/, '').replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ').toLowerCase();

export interface EntryTable { name: string; columns: string[]; rows: unknown[][] }
export type EntryFields = [name: string, value: unknown][];
export interface EntryParts { fields: EntryFields; groups: [name: string, fields: EntryFields][]; tables: EntryTable[]; asCame: EntryFields }

// What was sent to a judge and came back, nested as it was: read as JSON.
const nested = ['record', 'evaluations', 'evaluation_success_data', 'evaluation_failure_data', 'queryInfo', 'additionalQueryInfo', 'evaluationRequest', 'promptQueryJson'];

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0) || (isMembers(value) && Object.keys(value).length === 0);

function tableOf(name: string, rows: Members[]): EntryTable {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((one) => rows.some((row) => !isNothing(row[one])));
  return { name, columns: names.map(memberWords), rows: rows.map((row) => names.map((one) => shownAs(one, row[one]) ?? '')) };
}

// "definition · age" for what lies deeper.
const flatFields = (of: Members, prefix = ''): EntryFields => Object.entries(of).flatMap(([name, value]): EntryFields => {
  if (isNothing(value)) return [];
  return isMembers(value) ? flatFields(value, `${prefix}${memberWords(name)} · `) : [[prefix + memberWords(name), shownAs(name, value)]];
});

// An entry for reading: plain values as fields, what has members as groups of fields, lists of those as tables, or as
// groups if they are nested. What is empty is left out.
export function partsOf(entry: Members): EntryParts {
  const parts: EntryParts = { fields: [], groups: [], tables: [], asCame: [] };
  for (const [name, value] of Object.entries(entry)) {
    const words = memberWords(name);
    if (isNothing(value)) continue;
    if (nested.includes(name)) parts.asCame.push([words, value]);
    else if (isMembers(value)) {
      const lists = Object.entries(value).filter((member): member is [string, Members[]] => Array.isArray(member[1]) && member[1].length > 0 && member[1].every(isMembers));
      parts.groups.push([words, flatFields(Object.fromEntries(Object.entries(value).filter(([one]) => !lists.some(([list]) => list === one))))]);
      for (const [list, rows] of lists) parts.tables.push(tableOf(`${words}: ${memberWords(list)}`, rows));
    } else if (Array.isArray(value) && value.every(isMembers)) {
      if (value.some((row) => Object.values(row).some(isMembers))) parts.groups.push(...value.map((row, i): [string, EntryFields] => [`${words} ${i + 1}`, flatFields(row)]));
      else parts.tables.push(tableOf(words, value));
    } else parts.fields.push([words, shownAs(name, value)]);
  }
  return parts;
}
