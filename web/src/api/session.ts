// The token that the reader gave, for as long as the tab lives. It is sent in a header to this origin and nowhere else.
const key = 'assay-token';
const listeners = new Set<() => void>();

export const token = (): string => sessionStorage.getItem(key) ?? '';

export function setToken(value: string): void {
  if (value) sessionStorage.setItem(key, value);
  else sessionStorage.removeItem(key);
}

// The server wants a token, or another one.
export function tokenWanted(): void {
  for (const listener of listeners) listener();
}
export function onTokenWanted(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
