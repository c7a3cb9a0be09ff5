import type { ComponentChildren } from 'preact';
import { plainText } from '../text/code_points';

// What may be wider than its place: it is scrolled there, by keys too, and the page never is.
export function ScrollBox({ label, long = false, children }: { label: string; long?: boolean; children: ComponentChildren }) {
  return <div class={`scroll${long ? ' long' : ''}`} role="region" aria-label={plainText(label)} tabIndex={0}>{children}</div>;
}
