// The figures of a summary, with how they are shown. Pure.
import type { Figure, Gate, Summary } from '../api/types';

export function figuresOf(summary: Summary): Figure[] {
  const display = summary.display?.metrics ?? {};
  return Object.entries(summary.metrics).map(([name, estimate]) => {
    const shown = display[name] ?? {};
    return { name, estimate, form: 'number', better: 'higher', ...shown };
  });
}

export function headlines(figures: Figure[]): Figure[] {
  const chosen = figures.filter(({ headline }) => headline);
  return chosen.length > 0 ? chosen : figures.slice(0, 1);
}

// The thresholds of gates on a figure: "accuracy >= 0.6" is 0.6.
export function gateMarks(figure: Figure, gates: Gate[]): number[] {
  return gates.flatMap(({ gate }) => {
    const found = /^\s*(\S+)\s*(?:>=|<=|==|>|<)\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*$/i.exec(gate);
    return found?.[1] === figure.name ? [Number(found[2])] : [];
  });
}

// "likert.mean.work" is a part of "likert.mean".
export function isPart(name: string, names: Set<string>): boolean {
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    if (names.has(name.slice(0, dot))) return true;
  }
  return false;
}
