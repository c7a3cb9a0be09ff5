import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '../text/code_points';

// What may be wider than its place: it is scrolled there, by keys too, and the page never is. It says so, since a table's
// border hides well that there is more.
export function ScrollBox({ label, long = false, children }: { label: string; long?: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const resized = new ResizeObserver(() => setWider(element.scrollWidth > element.clientWidth + 1));
    resized.observe(element);
    if (element.firstElementChild) resized.observe(element.firstElementChild);
    return () => resized.disconnect();
  }, []);
  return (
    <>
      {isWider && <p class="note sideways">Scroll sideways for more columns →</p>}
      <div ref={box} class={`scroll${long ? ' long' : ''}`} role="region" aria-label={plainText(label)} tabIndex={0}>{children}</div>
    </>
  );
}
