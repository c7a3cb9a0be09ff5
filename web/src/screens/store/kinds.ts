// What the data service keeps, as tables: where each comes from, by what it can be narrowed, where all of an entry is,
// and what may be done with it. Pure.
import { addressOf, type Query } from '../../address';
import { memberAt, wordAt } from './members';

export interface StoreKind {
  kind: string;
  title: string;
  one: string;  // what an entry is called
  path: string;
  list: string;  // the member of the answer that holds the rows
  id: string[];  // what tells a row from all others, and is the text that opens it
  filters: string[];
  columns: [pointer: string, words: string][];  // "contentItemSummary/itemId"
  isStreamed?: boolean;  // comes whole as CSV and NDJSON too
  isWhole?: boolean;  // the list has no pages
  whole?: (id: string, row: unknown, query: Query) => string | undefined;  // where all of an entry is
  removal?: (id: string, row: unknown) => string | undefined;
  goesToo?: string;  // what is removed with it
  related?: [kind: string, words: string, query: Record<string, string>][];  // of it, by pointers into the row
}

const base = '/data/eval';
const times = ['since', 'until'];
const named = (path: string) => (id: string): string => base + path + encodeURIComponent(id);
const ended = ['COMPLETE', 'ERROR', 'CANCELLED'];

// Of a job the address has its mode too.
export const jobPath = (mode: string, id: string, rest = ''): string => `${base}/process-evals/${encodeURIComponent(mode)}/${encodeURIComponent(id)}${rest}`;
export const feedbackPath = `${base}/feedback`;

export const storeKinds: StoreKind[] = [
  {
    kind: 'items', title: 'Items', one: 'item', path: `${base}/items`, list: 'items', id: ['contentItemSummary/itemId'], isStreamed: true,
    filters: ['search', 'tag', 'publishedSince', 'publishedUntil', 'subsetTag', 'subsetPercent'],
    columns: [['evaluateTime', 'published'], ['evaluateTitle|evaluateText', 'title or text'], ['evaluateSourceType', 'source'], ['tags', 'tags']],
    whole: named('/item?id='), removal: named('/item?id='), goesToo: 'Its tags and its places in subsets go with it.',
    related: [['verdicts', 'Verdicts on it', { itemId: 'itemId' }], ['records', 'Its records', { itemId: 'itemId' }]],
  },
  {
    kind: 'verdicts', title: 'Verdicts', one: 'verdict', path: `${base}/get-evaluation-data`, list: 'results', id: ['resultId'], isStreamed: true,
    filters: ['tag', 'agent', 'persona', 'mode', 'itemId', 'classification', 'perspective', 'job', 'context', 'likert', 'agreement', 'value', ...times],
    columns: [['itemId', 'item'], ['classificationName', 'classification'], ['evaluatedSelection', 'judged value'], ['evaluationLikertVal', 'rating'], ['evaluationAgreement', 'agreement'], ['personaId', 'persona'], ['perspectiveId', 'perspective'], ['evaluationText', 'why'], ['recordedMs', 'recorded']],
    related: [['items', 'The item', { open: 'itemId' }], ['records', 'Its record', { open: 'recordId' }], ['jobs', 'Its job', { open: 'jobId', mode: 'mode' }], ['personas', 'The persona', { open: 'personaId' }], ['perspectives', 'The perspective', { open: 'perspectiveId' }]],
  },
  {
    kind: 'records', title: 'Records', one: 'record', path: `${base}/records`, list: 'records', id: ['recordId'],
    filters: ['tag', 'agent', 'persona', 'mode', 'itemId', 'context', 'job', ...times],
    columns: [['recordedMs', 'recorded'], ['agent', 'agent'], ['personaId', 'persona'], ['personaVersion', 'version'], ['mode', 'mode'], ['items', 'items'], ['verdicts', 'verdicts']],
    whole: named('/records/'), removal: named('/records/'), goesToo: 'Its verdicts, their tags and the feedback on them go with it.',
    related: [['verdicts', 'Verdicts of its context', { context: 'contextId' }], ['jobs', 'Its job', { open: 'jobId', mode: 'mode' }], ['personas', 'The persona', { open: 'personaId' }]],
  },
  {
    kind: 'failures', title: 'Failures', one: 'failure', path: `${base}/get-evaluation-failures`, list: 'failures', id: ['failureId'], isStreamed: true,
    filters: ['agent', 'persona', 'mode', 'itemId', 'job', 'context', 'resolved', ...times],
    columns: [['recordedMs', 'recorded'], ['agent', 'agent'], ['evaluationPersona/id', 'persona'], ['mode', 'mode'], ['model', 'model'], ['items', 'items'], ['statusCode', 'status'], ['finishReason', 'finish reason'], ['resolvedMs', 'resolved']],
    removal: named('/failures/'), related: [['jobs', 'Its job', { open: 'jobId', mode: 'mode' }]],
  },
  {
    kind: 'jobs', title: 'Jobs', one: 'job', path: `${base}/get-evaluation-jobs`, list: 'jobs', id: ['job_id'], filters: ['mode', 'status', 'persona', ...times],
    columns: [['createdMs', 'created'], ['status', 'status'], ['mode', 'mode'], ['openai_model', 'model'], ['persona/name', 'persona'], ['processed_items', 'items'], ['failed_requests', 'failed'], ['message', 'message']],
    whole: (id, row, query) => { const mode = wordAt(row, 'mode') || query['mode']; return mode ? jobPath(mode, id) : undefined; },
    removal: (id, row) => (ended.includes(wordAt(row, 'status')) ? jobPath(wordAt(row, 'mode'), id) : undefined), goesToo: 'Its snapshot, its journal and its lists go with it; its results stay.',
    related: [['verdicts', 'Its verdicts', { job: 'job_id' }], ['failures', 'Its failures', { job: 'job_id' }], ['feedback', 'Feedback on it', { job: 'job_id' }]],
  },
  {
    kind: 'personas', title: 'Personas', one: 'persona', path: `${base}/personas`, list: 'personas', id: ['personaId'], filters: [],
    columns: [['versions', 'versions'], ['verdicts', 'verdicts']], whole: named('/persona?id='),
    related: [['verdicts', 'Its verdicts', { persona: 'personaId' }]],
  },
  {
    kind: 'perspectives', title: 'Perspectives', one: 'perspective', path: `${base}/perspectives`, list: 'perspectives', id: ['perspectiveId'], filters: [],
    columns: [['versions', 'versions'], ['verdicts', 'verdicts']], whole: named('/perspective?id='),
    related: [['verdicts', 'Verdicts from it', { perspective: 'perspectiveId' }]],
  },
  {
    kind: 'contexts', title: 'Contexts', one: 'context', path: `${base}/contexts`, list: 'contexts', id: ['contextId'], filters: [],
    columns: [['agent', 'agent'], ['firstRecordedMs', 'first recorded'], ['lastRecordedMs', 'last recorded'], ['records', 'records'], ['verdicts', 'verdicts']],
    related: [['records', 'Its records', { context: 'contextId' }], ['verdicts', 'Its verdicts', { context: 'contextId' }]],
  },
  {
    kind: 'tags', title: 'Tags', one: 'tag', path: `${base}/tags`, list: 'tags', id: ['tag'], filters: [],
    columns: [['items', 'items'], ['results', 'verdicts']],
    related: [['items', 'Items with it', { tag: 'tag' }], ['verdicts', 'Verdicts with it', { tag: 'tag' }]],
  },
  {
    kind: 'subsets', title: 'Subsets', one: 'subset', path: `${base}/subsets`, list: 'subsets', id: ['tag', 'percent'], filters: [], isWhole: true,
    columns: [['percent', 'percent'], ['members', 'members'], ['of', 'of items']],
    related: [['items', 'Its items', { subsetTag: 'tag', subsetPercent: 'percent' }]],
  },
  {
    kind: 'feedback', title: 'Feedback', one: 'feedback', path: feedbackPath, list: 'feedback', id: ['feedbackId'], isStreamed: true,
    filters: ['person', 'resultId', 'itemId', 'job', ...times],
    columns: [['person', 'person'], ['likert', 'rating'], ['agreement', 'agreement'], ['text', 'text'], ['result/itemId', 'item'], ['result/classificationName', 'classification'], ['result/evaluationLikertVal', 'judge’s rating'], ['result/evaluationAgreement', 'judge’s word'], ['recordedMs', 'recorded']],
    removal: named('/feedback/'), related: [['items', 'The item', { open: 'result/itemId' }], ['records', 'The record', { open: 'result/recordId' }]],
  },
];

export const rowsOf = (answer: Record<string, unknown>, list: string): unknown[] => (Array.isArray(answer[list]) ? answer[list] as unknown[] : []);
export const idOf = (kind: StoreKind, row: unknown): string => kind.id.map((pointer) => wordAt(row, pointer)).join(' ');

// Where what belongs to an entry is shown; nothing leads to what the entry does not have.
export function relatedTo(kind: StoreKind, row: unknown): { words: string; address: string }[] {
  return (kind.related ?? []).flatMap(([other, words, pointers]) => {
    const query = Object.fromEntries(Object.entries(pointers).map(([name, pointer]) => [name, wordAt(row, pointer)]));
    return Object.values(query).every(Boolean) ? [{ words, address: addressOf({ name: 'store', kind: other, query }) }] : [];
  });
}

// What no row has is not shown as a column.
export const columnsOf = (kind: StoreKind, rows: unknown[]): StoreKind['columns'] =>
  kind.columns.filter(([pointer]) => rows.some((row) => ![undefined, null, ''].includes(memberAt(row, pointer) as undefined)));
