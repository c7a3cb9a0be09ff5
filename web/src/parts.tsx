// What every screen is made of.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { plainText, shortened } from './text/code_points';
import { Text } from './text/text';

export function Section({ id, title, note, children }: { id: string; title: string; note?: string; children: ComponentChildren }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}{note && <span class="note"> {note}</span>}</h2>
      {children}
    </section>
  );
}

// Which of many tabs it is.
export function useTitle(title: string): void {
  useEffect(() => { document.title = `${shortened(plainText(title), 120)} · Assay`; }, [title]);
}

// Figures that nobody measured are never taken for real ones.
export function SimulatedBanner({ models }: { models: string[] }) {
  if (models.length === 0) return null;
  return <p class="banner" role="note">Simulated: answers of <Text of={models.join(', ')} /> come from the built-in simulator. The figures show what a report looks like; they say nothing about a real model.</p>;
}

export const Conclusions = ({ of }: { of: string[] }) => (
  <ul class="conclusions">{of.map((sentence, i) => <li key={i} dir="auto"><Text of={sentence} /></li>)}</ul>
);
