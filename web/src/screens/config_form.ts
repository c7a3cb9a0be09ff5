// A config's values as the texts of a form, and back. Pure.
import type { ConfigDetail, KeyDeclaration } from '../api/types';

// Plain values as they are, lists and objects as JSON; "" for what is not set.
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const isNumberType = (type: string): boolean => type === 'integer' || type === 'number';
export const isLongType = (type: string): boolean => /_list$|_map$|^any$|^file_or_value$/.test(type);

// Whether the text of a config names a key, "judge.model" as `model` somewhere below `judge`.
function names(text: string, key: string): boolean {
  const [top = '', ...below] = key.split('.');
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line));
  const begin = lines.findIndex((line) => line.startsWith(`${top}:`));
  if (begin < 0) return false;
  const after = lines.slice(begin + 1);
  const end = after.findIndex((line) => /^[^\s-]/.test(line));
  const block = [lines[begin]?.slice(top.length + 1) ?? '', ...(end < 0 ? after : after.slice(0, end))].join('\n');
  return below.every((part) => block.split(/[\s{,"']+/).some((word) => word.startsWith(`${part}:`)));
}

// Values come with the defaults of what the file leaves out: a key is the file's if the file names it or another value is there.
export function isOfFile({ text, values }: Pick<ConfigDetail, 'text' | 'values'>, { name, default: usual }: Pick<KeyDeclaration, 'name' | 'default'>): boolean {
  const value = values[name];
  return value !== undefined && (names(text, name) || (usual !== undefined && fieldText(value) !== fieldText(usual)));
}

// Structures that are changed in the file only are read, not edited.
export const isReadOnlyStructure = ({ values }: Pick<ConfigDetail, 'values'>, { name, changeable }: Pick<KeyDeclaration, 'name' | 'changeable'>): boolean =>
  changeable === false && typeof values[name] === 'object' && values[name] !== null;

function valueOf(text: string, type: string, before: unknown): unknown {
  if (isNumberType(type)) return Number(text);
  if (type === 'boolean') return text === 'true';
  const isJson = (typeof before === 'object' && before !== null) || /_list$|_map$/.test(type) || /^\s*[[{]/.test(text);
  return isJson ? JSON.parse(text) as unknown : text;
}

// What differs from the file, by key, and the keys whose text cannot be read. An empty text leaves what the file says.
export function changesOf({ keys, values }: Pick<ConfigDetail, 'keys' | 'values'>, texts: Record<string, string>): { changes: Record<string, unknown>; wrong: string[] } {
  const changes: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const { name, type } of keys) {
    const text = texts[name] ?? '';
    if (text.trim() === '' || text === fieldText(values[name])) continue;
    try {
      const value = valueOf(text, type, values[name]);
      if (Number.isNaN(value)) wrong.push(name);
      else changes[name] = value;
    } catch {
      wrong.push(name);
    }
  }
  return { changes, wrong };
}
