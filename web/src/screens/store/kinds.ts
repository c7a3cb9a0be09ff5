// What the data service keeps, as tables: where each comes from, by what it can be narrowed, what is more of a row. Pure.

export interface StoreKind {
  kind: string;
  title: string;
  path: string;
  list: string;  // the member of the answer that holds the rows
  filters: string[];
  columns: [pointer: string, words: string][];  // "contentItemSummary/itemId"
  whole?: [path: string, pointer: string];  // where all of a row is, and what of the row its address ends with
}

const base = '/data/eval';
const times = ['since', 'until'];

export const storeKinds: StoreKind[] = [
  {
    kind: 'items', title: 'Items', path: `${base}/items`, list: 'items', filters: ['search', 'tag', 'publishedSince', 'publishedUntil'],
    columns: [['contentItemSummary/itemId', 'item'], ['evaluateTime', 'published'], ['evaluateTitle', 'title'], ['evaluateSourceType', 'source'], ['tags', 'tags']],
    whole: [`${base}/item?id=`, 'contentItemSummary/itemId'],
  },
  {
    kind: 'verdicts', title: 'Verdicts', path: `${base}/get-evaluation-data`, list: 'results', filters: ['tag', 'agent', 'persona', 'mode', 'itemId', 'classification', 'perspective', 'job', 'likert', ...times],
    columns: [['itemId', 'item'], ['classificationName', 'classification'], ['evaluatedSelection', 'judged value'], ['evaluationLikertVal', 'rating'], ['evaluationAgreement', 'agreement'], ['personaId', 'persona'], ['personaVersion', 'version'], ['perspectiveId', 'perspective'], ['evaluationText', 'why'], ['agent', 'agent'], ['recordedMs', 'recorded']],
  },
  {
    kind: 'records', title: 'Records', path: `${base}/records`, list: 'records', filters: ['tag', 'agent', 'persona', 'mode', 'itemId', 'context', 'job', ...times],
    columns: [['recordId', 'record'], ['recordedMs', 'recorded'], ['agent', 'agent'], ['personaId', 'persona'], ['personaVersion', 'version'], ['mode', 'mode'], ['items', 'items'], ['verdicts', 'verdicts']],
    whole: [`${base}/records/`, 'recordId'],
  },
  {
    kind: 'failures', title: 'Failures', path: `${base}/get-evaluation-failures`, list: 'failures', filters: ['agent', 'persona', 'mode', 'itemId', 'job', 'context', 'resolved', ...times],
    columns: [['failureId', 'failure'], ['recordedMs', 'recorded'], ['agent', 'agent'], ['personaId', 'persona'], ['mode', 'mode'], ['items', 'items'], ['error', 'error'], ['message', 'message']],
  },
  {
    kind: 'jobs', title: 'Jobs', path: `${base}/get-evaluation-jobs`, list: 'jobs', filters: ['mode'],
    columns: [['job_id', 'job'], ['status', 'status'], ['mode', 'mode'], ['openai_model', 'model'], ['persona/name', 'persona'], ['processed_items', 'items'], ['failed_requests', 'failed'], ['message', 'message']],
  },
  {
    kind: 'personas', title: 'Personas', path: `${base}/personas`, list: 'personas', filters: [],
    columns: [['personaId', 'persona'], ['versions', 'versions'], ['verdicts', 'verdicts']], whole: [`${base}/persona?id=`, 'personaId'],
  },
  {
    kind: 'perspectives', title: 'Perspectives', path: `${base}/perspectives`, list: 'perspectives', filters: [],
    columns: [['perspectiveId', 'perspective'], ['versions', 'versions'], ['verdicts', 'verdicts']], whole: [`${base}/perspective?id=`, 'perspectiveId'],
  },
  {
    kind: 'feedback', title: 'Feedback', path: `${base}/feedback`, list: 'feedback', filters: ['person', 'itemId', 'job', ...times],
    columns: [['person', 'person'], ['likert', 'rating'], ['agreement', 'agreement'], ['text', 'text'], ['result/itemId', 'item'], ['result/classificationName', 'classification'], ['result/evaluationLikertVal', 'judge’s rating'], ['recordedMs', 'recorded']],
  },
];

export function memberAt(row: unknown, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined), row);
}

// A member as its cell shows it: times as times, lists as words.
export function shownAt(row: unknown, pointer: string): unknown {
  const value = memberAt(row, pointer);
  if (pointer.endsWith('Ms') && typeof value === 'number') return new Date(value).toISOString().slice(0, 16).replace('T', ' ');
  return Array.isArray(value) ? value.join(', ') : value;
}

export const rowsOf = (answer: Record<string, unknown>, list: string): unknown[] => (Array.isArray(answer[list]) ? answer[list] as unknown[] : []);
export function wholeAddress(kind: StoreKind, row: unknown): string | undefined {
  if (!kind.whole) return undefined;
  const key = memberAt(row, kind.whole[1]);
  return typeof key === 'string' || typeof key === 'number' ? kind.whole[0] + encodeURIComponent(key) : undefined;
}
