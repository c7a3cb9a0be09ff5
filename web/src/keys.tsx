// Keys of the page: each screen says what its keys do, and `?` shows them all. They rest while the reader types.
import { useEffect, useRef } from 'preact/hooks';

// `once`: not again and again while the key is held.
export interface KeyAction { key: string; does: string; act: () => void; once?: boolean }

const active: { current: KeyAction[] }[] = [];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('textarea, select, input:not([type="checkbox"], [type="radio"])'));

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
  // The screen that was opened last comes first.
  for (const { current } of [...active].reverse()) {
    const action = current.find(({ key }) => key === event.key || (key.length === 1 && key === event.key.toLowerCase()));
    if (!action) continue;
    event.preventDefault();
    if (!event.repeat || !action.once) action.act();
    return;
  }
}
addEventListener('keydown', onKey);

export function useKeys(actions: KeyAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    active.push(latest);
    return () => { active.splice(active.indexOf(latest), 1); };
  }, []);
}

export const keysNow = (): KeyAction[] => [...active].reverse().flatMap(({ current }) => current);
