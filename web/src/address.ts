// The address says what is shown: screens as paths, their filters and sorting as the query. Pure.

export type Query = Record<string, string>;
export type Screen =
  | { name: 'runs'; query: Query }
  | { name: 'run'; run: string; query: Query }
  | { name: 'case'; run: string; id: string; query: Query }
  | { name: 'compare'; base: string; others: string[]; query: Query }
  | { name: 'audit'; runs: string[]; query: Query }
  | { name: 'drift'; query: Query }
  | { name: 'plan'; run: string; query: Query }
  | { name: 'read'; run: string; query: Query }
  | { name: 'judge'; run: string; query: Query }
  | { name: 'sheet'; sheet: string; query: Query }
  | { name: 'new'; query: Query }
  | { name: 'store'; kind: string; query: Query }
  | { name: 'unknown'; path: string; query: Query };

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function screenOf(address: string): Screen {
  const { pathname, searchParams } = new URL(address, 'http://page.invalid');
  const query: Query = Object.fromEntries(searchParams);
  const parts = pathname.split('/').filter(Boolean).map(decoded);
  const [first = '', second, third] = parts;
  if (parts.length === 0) return { name: 'runs', query };
  if (first === 'runs' && second !== undefined) {
    if (third === undefined) return { name: 'run', run: second, query };
    if (third === 'read') return { name: 'read', run: second, query };
    if (third === 'judge') return { name: 'judge', run: second, query };
    if (third === 'plan') return { name: 'plan', run: second, query };
    if (third === 'case' && query['id'] !== undefined) {
      const { id, ...rest } = query;
      return { name: 'case', run: second, id, query: rest };
    }
  }
  if (first === 'sheets' && second !== undefined) return { name: 'sheet', sheet: second, query };
  if (first === 'compare') {
    const { base = '', new: others = '', ...rest } = query;
    return { name: 'compare', base, others: others.split(',').filter(Boolean), query: rest };
  }
  if (first === 'drift' && parts.length === 1) return { name: 'drift', query };
  if (first === 'audit' && parts.length === 1) {
    const { runs = '', ...rest } = query;
    return { name: 'audit', runs: runs.split(',').filter(Boolean), query: rest };
  }
  if (first === 'new' && parts.length === 1) return { name: 'new', query };
  if (first === 'store') return { name: 'store', kind: second ?? 'items', query };
  return { name: 'unknown', path: pathname, query };
}

const segment = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

// Without empty values, in a fixed order of its own: the same state always has the same address.
function withQuery(path: string, query: Query): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return text ? `${path}?${text}` : path;
}

export function addressOf(screen: Screen): string {
  switch (screen.name) {
    case 'runs': return withQuery('/', screen.query);
    case 'run': return withQuery(`/runs/${segment(screen.run)}`, screen.query);
    case 'case': return withQuery(`/runs/${segment(screen.run)}/case`, { id: screen.id, ...screen.query });
    case 'read': return withQuery(`/runs/${segment(screen.run)}/read`, screen.query);
    case 'judge': return withQuery(`/runs/${segment(screen.run)}/judge`, screen.query);
    case 'sheet': return withQuery(`/sheets/${segment(screen.sheet)}`, screen.query);
    case 'compare': return withQuery('/compare', { base: screen.base, new: screen.others.join(','), ...screen.query });
    case 'audit': return withQuery('/audit', { runs: screen.runs.join(','), ...screen.query });
    case 'drift': return withQuery('/drift', screen.query);
    case 'plan': return withQuery(`/runs/${segment(screen.run)}/plan`, screen.query);
    case 'new': return withQuery('/new', screen.query);
    case 'store': return withQuery(`/store/${segment(screen.kind)}`, screen.query);
    case 'unknown': return withQuery(screen.path, screen.query);
  }
}

export const runAddress = (run: string, query: Query = {}): string => addressOf({ name: 'run', run, query });
export const caseAddress = (run: string, id: string, query: Query = {}): string => addressOf({ name: 'case', run, id, query });
