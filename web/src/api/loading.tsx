// What a screen needs from the server, while it comes, when it is here and when it was refused.
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Text } from '../text/text';
import { get, Refusal } from './client';

export interface Loaded<T> { value: T | undefined; problem: Refusal | undefined; again: () => void; set: (value: T) => void }

// What was seen lately, so that going back shows it at once; it is asked for again all the same.
const seen = new Map<string, unknown>();
const mostSeen = 40;

function remember(path: string, value: unknown): void {
  seen.delete(path);
  seen.set(path, value);
  const oldest = seen.keys().next();
  if (seen.size > mostSeen && !oldest.done) seen.delete(oldest.value);
}
export const forgetAll = (): void => seen.clear();

// `path` undefined: nothing is asked for.
export function useLoaded<T>(path: string | undefined): Loaded<T> {
  const [state, setState] = useState<{ path: string | undefined; value: T | undefined; problem: Refusal | undefined }>({ path: undefined, value: undefined, problem: undefined });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const stop = new AbortController();
    get<T>(path, stop.signal).then(
      (value) => { remember(path, value); setState({ path, value, problem: undefined }); },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ path, value: before.path === path ? before.value : undefined, problem: error instanceof Refusal ? error : new Refusal(0, String(error)) }));
      },
    );
    return () => stop.abort();
  }, [path, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  const set = useCallback((value: T) => setState({ path, value, problem: undefined }), [path]);
  const now = state.path === path ? state : { value: path === undefined ? undefined : seen.get(path) as T | undefined, problem: undefined };
  return { value: now.value, problem: now.problem, again, set };
}

export function Trouble({ problem }: { problem: Refusal }) {
  return (
    <div class="trouble" role="alert">
      <p><Text of={problem.message} /></p>
      {problem.errors.length > 0 && (
        <ul>{problem.errors.map(({ pointer, message }, i) => <li key={i}><code><Text of={pointer} /></code> <Text of={message} /></li>)}</ul>
      )}
    </div>
  );
}

// The screen's content once it is here.
export function Await<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  return (
    <>
      {of.problem && <Trouble problem={of.problem} />}
      {of.value === undefined ? !of.problem && <p class="note" role="status">Loading…</p> : children(of.value)}
    </>
  );
}
