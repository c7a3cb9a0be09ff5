// Where the reader is, with the browser's own history: every state has an address, and back leads to what was seen.
import { createContext, type ComponentChildren, type TargetedMouseEvent } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { addressOf, screenOf, type Query, type Screen } from './address';

const changed = 'assay-address';
const here = (): string => location.pathname + location.search;

// `state` goes with the new entry of the history.
export function go(address: string, { replace = false, state = {} }: { replace?: boolean; state?: object } = {}): void {
  if (address === here()) return;
  if (replace) {
    history.replaceState(history.state, '', address);
  } else {
    keepPlace();
    history.pushState(state, '', address);
  }
  dispatchEvent(new Event(changed));
}

// How far down the reader was, with the entry of the history that is left.
export function keepPlace(): void {
  history.replaceState({ ...(history.state as object | null), scroll: scrollY }, '');
}

const Where = createContext<Screen>({ name: 'runs', query: {} });
export const useScreen = (): Screen => useContext(Where);

export function Navigation({ children }: { children: ComponentChildren }) {
  const [address, setAddress] = useState(here);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const look = (): void => setAddress(here());
    addEventListener('popstate', look);
    addEventListener(changed, look);
    return () => {
      removeEventListener('popstate', look);
      removeEventListener(changed, look);
    };
  }, []);
  return <Where.Provider value={screenOf(address)}>{children}</Where.Provider>;
}

// Back to where the reader was on a screen that is seen again, or to its top; once its content is `ready`.
export function usePlace(screen: string, ready: boolean): void {
  useLayoutEffect(() => {
    if (!ready) return;
    scrollTo({ top: (history.state as { scroll?: number } | null)?.scroll ?? 0, behavior: 'instant' });
  }, [screen, ready]);
}

// Changes of the query: one entry of the history for a choice, none for typing.
export function useQuery(): [Query, (changes: Query, options?: { replace?: boolean }) => void] {
  const screen = useScreen();
  const change = useCallback((changes: Query, options = {}) => {
    const now = screenOf(here());
    go(addressOf({ ...now, query: { ...now.query, ...changes } }), options);
  }, []);
  return [screen.query, change];
}

interface LinkProps { to: string; children: ComponentChildren; class?: string; current?: boolean; label?: string; title?: string }
export function Link({ to, children, current, label, ...rest }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={to} onClick={follow} aria-current={current ? 'page' : undefined} aria-label={label} {...rest}>{children}</a>;
}
