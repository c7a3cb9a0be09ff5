// Runs as they change. The stream is read with fetch, since the token goes in a header, and opened again when it ends.
import { useEffect, useRef, useState } from 'preact/hooks';
import { open, Refusal, withQuery } from './client';
import { EventReader } from './event_stream';
import type { RunGlance } from './types';

const firstPause = 500;
const longestPause = 15_000;

export interface Watcher { changed: (run: RunGlance) => void; gone?: (id: string) => void }

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> => new Promise((done) => {
  const timer = setTimeout(done, milliseconds);
  signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

async function readStream(answer: Response, watcher: Watcher): Promise<void> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const { event, data } of events.push(decoder.decode(value, { stream: true }))) {
      if (event === 'run') watcher.changed(JSON.parse(data) as RunGlance);
      if (event === 'gone') watcher.gone?.((JSON.parse(data) as { id: string }).id);
    }
  }
}

async function watch(run: string | undefined, watcher: Watcher, connected: (now: boolean) => void, signal: AbortSignal): Promise<void> {
  let wait = firstPause;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      const answer = await open(withQuery('/api/events', { run }), signal);
      connected(true);
      wait = firstPause;
      await readStream(answer, watcher);
    } catch (error) {
      // Without a right to see it, asking again changes nothing.
      if (error instanceof Refusal && [401, 403, 404].includes(error.status)) return;
    }
    if (isOver()) return;
    connected(false);
    await pause(wait, signal);
    wait = Math.min(longestPause, wait * 2);
  }
}

// Whether the stream is open now; `run` undefined: all runs.
export function useLive(run: string | undefined, watcher: Watcher): boolean {
  const [connected, setConnected] = useState(true);
  const latest = useRef(watcher);
  latest.current = watcher;
  useEffect(() => {
    const stop = new AbortController();
    void watch(run, { changed: (one) => latest.current.changed(one), gone: (id) => latest.current.gone?.(id) }, setConnected, stop.signal);
    return () => stop.abort();
  }, [run]);
  return connected;
}
