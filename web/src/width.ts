import { useEffect, useState } from 'preact/hooks';

const narrow = matchMedia('(max-width: 44rem)');

// A phone, or a narrow window: the same bound as the styles have.
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const look = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', look);
    return () => narrow.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
