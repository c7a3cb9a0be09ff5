// What every screen is made of.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useId } from 'preact/hooks';
import { plainText, shortened } from './text/code_points';
import { Text } from './text/text';

// Sections of one case among several: no places of their own in the address, and one level below.
const Among = createContext(false);
export const AmongOthers = ({ children }: { children: ComponentChildren }) => <Among.Provider value={true}>{children}</Among.Provider>;

export function Section({ id, title, note, children }: { id: string; title: string; note?: string; children: ComponentChildren }) {
  const isAmong = useContext(Among);
  const heading = useId();
  const words = <>{title}{note && <span class="note"> {note}</span>}</>;
  if (isAmong) return <div class="part"><h3>{words}</h3>{children}</div>;
  return (
    <section id={id} aria-labelledby={heading}>
      <h2 id={heading}>{words}</h2>
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
