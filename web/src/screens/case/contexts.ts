// What an answer was to rest on: each context with its title, where it stands and its text. Pure.
import { htmlText } from '../../text/html_text';
import { listOf, objectOf, textOf } from './material';

export interface Context { title: string; path: string; about: string; text: string }

const first = (of: Record<string, unknown>, names: string[]): string => textOf(names.map((name) => of[name]).find((value) => typeof value === 'string' && value !== ''));

export const isContexts = (name: string, value: unknown): boolean => /(^|_)contexts$/.test(name) && listOf(value).length > 0;

export function contextsOf(value: unknown): Context[] {
  return listOf(value).map((one) => {
    if (typeof one === 'string') return { title: '', path: '', about: '', text: one };
    const given = objectOf(one);
    const html = first(given, ['html_content', 'html']);
    const text = html ? htmlText(html) : first(given, ['text', 'content', 'page_content', 'body', 'snippet']);
    return {
      title: [first(given, ['title', 'name']), ...listOf(given['heading_hierarchy']).map(textOf)].filter(Boolean).join(' › '),
      path: first(given, ['exact_path', 'path', 'url', 'source', 'id']),
      about: first(given, ['description']),
      // What has another form is shown whole.
      text: text || JSON.stringify(one, null, 2),
    };
  });
}
