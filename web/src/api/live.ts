// Runs as they change. A browser opens six connections to a server at most, so its visible tabs share one stream: the tab
// that holds the lock reads it and passes on what comes; when that tab goes, the next one reads on. A hidden tab listens
// to nothing and is told, when it is seen again, that it has missed something. Locks are for pages over HTTPS or of this
// very machine: without them each visible tab has a stream of its own.
//
// The stream is read with fetch, since the token goes in a header, and opened again when it ends. What one token may hear
// all may, so it does not matter whose tab reads.
import { useEffect, useRef, useState } from 'preact/hooks';
import { open, Refusal } from './client';
import { EventReader, type ServerEvent } from './event_stream';
import type { RunGlance } from './types';

const name = 'assay-live';
const firstPause = 500;
const longestPause = 15_000;
const atFirst = 1_000;  // until what is shown has come

// `missed`: something may have changed while nobody listened.
export interface Watcher { changed: (run: RunGlance) => void; gone: (id: string) => void; missed: () => void }

// What tabs say to each other. A stream has a new name each time that it is opened; who comes asks how it is.
type Word = { is: 'event'; event: ServerEvent } | { is: 'stream'; stream: string; isOpen: boolean; isNew: boolean } | { is: 'question' };

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> => new Promise((done) => {
  const timer = setTimeout(done, milliseconds);
  signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

async function readStream(answer: Response, tell: (word: Word) => void): Promise<void> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const event of events.push(decoder.decode(value, { stream: true }))) tell({ is: 'event', event });
  }
}

async function lead(tell: (word: Word) => void, signal: AbortSignal): Promise<void> {
  let wait = firstPause;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const stream = `${Date.now()} ${Math.random()}`;
    try {
      const answer = await open('/api/events', signal);
      tell({ is: 'stream', stream, isOpen: true, isNew: true });
      wait = firstPause;
      await readStream(answer, tell);
    } catch (error) {
      // Without a right to see it, asking again changes nothing.
      if (error instanceof Refusal && [401, 403, 404].includes(error.status)) return;
    }
    if (isOver()) return;
    tell({ is: 'stream', stream, isOpen: false, isNew: true });
    await pause(wait, signal);
    wait = Math.min(longestPause, wait * 2);
  }
}

// Hears what the shared stream says until what is returned is called.
function join(hear: (word: Word) => void): () => void {
  const stop = new AbortController();
  // Browsers leave it out on pages that others could have changed on the way.
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) {
    void lead(hear, stop.signal);
    return () => stop.abort();
  }
  const channel = new BroadcastChannel(name);
  let told: Word | undefined;
  const tell = (word: Word): void => {
    if (stop.signal.aborted) return;
    if (word.is === 'stream') told = { ...word, isNew: false };
    hear(word);
    channel.postMessage(word);
  };
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (data.is !== 'question') hear(data);
    else if (told) channel.postMessage(told);
  };
  channel.postMessage({ is: 'question' } satisfies Word);
  const turn = async (): Promise<void> => {
    await lead(tell, stop.signal);
    told = undefined;
  };
  locks.request(name, { signal: stop.signal }, turn).catch(() => undefined);  // it left before its turn
  return () => {
    stop.abort();
    channel.close();
  };
}

// Whether the stream is open now.
export function useLive(watcher: Watcher): boolean {
  const [connected, setConnected] = useState(true);
  const latest = useRef(watcher);
  latest.current = watcher;
  useEffect(() => {
    // The stream that was heard until now; "" if that one is over.
    let heard: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leave: (() => void) | undefined;
    const hear = (word: Word): void => {
      if (word.is === 'stream') {
        const { stream, isOpen, isNew } = word;
        setConnected(isOpen);
        // What the page shows was asked for before a new stream began; not before one that it came to.
        if (isOpen && heard === undefined && isNew) timer = setTimeout(() => latest.current.missed(), atFirst);
        else if (isOpen && heard !== undefined && heard !== stream) latest.current.missed();
        heard = isOpen ? stream : '';
      } else if (word.is === 'event') {
        const { event, data } = word.event;
        if (event === 'run') latest.current.changed(JSON.parse(data) as RunGlance);
        if (event === 'gone') latest.current.gone((JSON.parse(data) as { id: string }).id);
      }
    };
    const look = (): void => {
      if (document.visibilityState !== 'hidden') {
        leave ??= join(hear);
        return;
      }
      leave?.();
      leave = undefined;
      heard = '';
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearTimeout(timer);
      leave?.();
    };
  }, []);
  return connected;
}
