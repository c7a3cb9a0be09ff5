// What a row of the table of cases says of its case. Pure.
import type { CaseGlance } from '../../api/types';

// Where the id begins with what the case is about, and may be cut for want of room, the rest of it tells the cases apart:
// "promptql-agent-variation0" of "category_statistics-promptql-agent-variation0".
export function aboutCase({ id, text = '', error }: Pick<CaseGlance, 'id' | 'text' | 'error'>): string {
  if (error !== undefined) return error;
  if (text === '' || !id.startsWith(text)) return text;
  return id.slice(text.length).replace(/^[-_/:. ]+/, '') || text;
}
