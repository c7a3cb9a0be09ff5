// Requests to this server. What goes wrong comes as a Refusal with the server's own words.
import { token, tokenWanted } from './session';

export interface FieldError { pointer: string; message: string }

export class Refusal extends Error {
  constructor(readonly status: number, message: string, readonly errors: FieldError[] = []) {
    super(message);
  }
}

const headers = (): Record<string, string> => (token() ? { authorization: `Bearer ${token()}` } : {});

async function refusalOf(answer: Response): Promise<Refusal> {
  const text = await answer.text();
  try {
    const body = JSON.parse(text) as { message?: string; errors?: FieldError[] };
    return new Refusal(answer.status, body.message ?? answer.statusText, body.errors ?? []);
  } catch {
    return new Refusal(answer.status, text.slice(0, 500) || `the server answered ${answer.status}`);
  }
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers: { ...headers(), ...(init.body ? { 'content-type': 'application/json' } : {}) }, credentials: 'omit', redirect: 'error' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refusal(0, 'The server cannot be reached.');
  }
  if (answer.status === 401) tokenWanted();
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return await (await send(path, signal ? { signal } : {})).json() as T;
}
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const text = await (await send(path, { method: 'POST', body: JSON.stringify(body) })).text();
  return (text ? JSON.parse(text) : {}) as T;
}
export const remove = async <T>(path: string): Promise<T> => await (await send(path, { method: 'DELETE' })).json() as T;
export const getBlob = async (path: string): Promise<Blob> => (await send(path, {})).blob();
export const open = (path: string, signal: AbortSignal): Promise<Response> => send(path, { signal });

// "/api/runs", {search: "a b", sort: ""} as "/api/runs?search=a+b".
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== '').map(([name, value]) => [name, String(value)]);
  const text = new URLSearchParams(kept).toString();
  return text ? `${path}?${text}` : path;
}
export const runPath = (run: string, rest = ''): string => `/api/runs/${encodeURIComponent(run)}${rest}`;
export const sheetPath = (sheet: string, rest = ''): string => `/api/sheets/${encodeURIComponent(sheet)}${rest}`;
