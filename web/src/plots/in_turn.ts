// One piece of work at a time, when the browser has nothing else to do: what a reader waits for, and what comes from the
// server meanwhile, goes first. A run has a dozen plots, and drawing them takes half a second.
const waiting: (() => void)[] = [];
let isWorking = false;
const latest = 1_000;  // ms that a piece waits at most for the browser to rest

const whenIdle = (work: () => void): void => {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(work, { timeout: latest });
  else setTimeout(work);
};

function next(): void {
  const work = waiting.shift();
  isWorking = work !== undefined;
  if (work) {
    whenIdle(() => {
      work();
      next();
    });
  }
}

// Gives what takes it back, if it has not begun.
export function inTurn(work: () => void): () => void {
  waiting.push(work);
  if (!isWorking) next();
  return () => {
    const at = waiting.indexOf(work);
    if (at >= 0) waiting.splice(at, 1);
  };
}
