// A config's values as the texts of a form, and back. Pure.
import type { ConfigDetail } from '../api/types';

// Plain values as they are, lists and objects as JSON; "" for what is not set.
export function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export const isNumberType = (type: string): boolean => type === 'integer' || type === 'number';
export const isLongType = (type: string): boolean => /_list$|_map$|^any$|^file_or_value$/.test(type);

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
