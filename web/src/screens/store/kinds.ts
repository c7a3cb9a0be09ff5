// What the data service keeps, as tables: where each comes from, by what it can be narrowed, how its pages go on.

export interface StoreKind {
  kind: string;
  title: string;
  path: string;
  list: string;  // the member of the answer that holds the rows
  filters: string[];
  columns: [name: string, words: string][];  // by pointer: "contentItemSummary/itemId"
  paging: 'cursor' | 'page';
}

export const storeKinds: StoreKind[] = [
  {
    kind: 'items', title: 'Items', path: '/data/eval/fetch-evaluation-items', list: 'items', filters: ['tag', 'lastNHours', 'byUuid'], paging: 'cursor',
    columns: [['contentItemSummary/itemId', 'item'], ['evaluateTime', 'published'], ['evaluateTitle', 'title'], ['evaluateSourceType', 'source'], ['tags', 'tags']],
  },
  {
    kind: 'records', title: 'Verdicts', path: '/data/eval/get-evaluation-data', list: 'data', filters: ['tag', 'agent', 'persona', 'mode', 'itemId', 'classification', 'perspective', 'lastNHours'], paging: 'page',
    columns: [['itemId', 'item'], ['classificationName', 'classification'], ['evaluatedSelection', 'judged value'], ['evaluationLikert', 'rating'], ['personaId', 'persona'], ['perspectiveId', 'perspective'], ['evaluationText', 'why'], ['agent', 'agent']],
  },
  {
    kind: 'failures', title: 'Failures', path: '/data/eval/get-evaluation-failures', list: 'failures', filters: ['agent', 'persona', 'mode', 'itemId', 'lastNHours', 'resolved'], paging: 'page',
    columns: [['contextIdentifier', 'context'], ['agent', 'agent'], ['personaId', 'persona'], ['mode', 'mode'], ['error', 'error']],
  },
  {
    kind: 'jobs', title: 'Jobs', path: '/data/eval/get-evaluation-jobs', list: 'jobs', filters: [], paging: 'page',
    columns: [['job_id', 'job'], ['status', 'status'], ['mode', 'mode'], ['model', 'model'], ['processed_items', 'items'], ['failed_requests', 'failed'], ['created', 'created']],
  },
];

export function memberAt(row: unknown, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined), row);
}

// The rows of an answer: under the declared name, or the first list that it holds.
export function rowsOf(answer: Record<string, unknown>, list: string): unknown[] {
  const found = Array.isArray(answer[list]) ? answer[list] : Object.values(answer).find(Array.isArray);
  return (found ?? []) as unknown[];
}
