// Room for the labels of a plot: long ones stand on several lines, never cut where they differ. Pure.
import type { Axis, Spec } from './spec';

const lineHeight = 15;
const pixels = (characters: number): number => characters * 6.8;

export const labelRoom = (width: number): number => Math.max(90, Math.round(width * 0.36));
export const legendColumns = (width: number): number => (width < 560 ? 2 : 3);

// A label that is too long for its room goes on in the next line, at a place between words where there is one:
// cut at its end it would lose what tells it from others.
export function wrapped(label: string, most: number): string[] {
  const lines: string[] = [];
  for (let rest of label.split('\n')) {
    while (rest.length > most) {
      const head = rest.slice(0, most + 1);
      const place = Math.max(...[' ', '_', '.', '-', '/'].map((mark) => head.lastIndexOf(mark)));
      const end = place > most / 3 ? place + 1 : most;
      lines.push(rest.slice(0, end).trimEnd());
      rest = rest.slice(end).trimStart();
    }
    lines.push(rest);
  }
  return lines;
}

const tallestOf = (labels: string[], most: number): number => Math.max(...labels.map((label) => wrapped(label, most).length));
const longestOf = (labels: string[]): number => Math.max(...labels.map((label) => label.length));

// Plots with one figure a line (plot_parts.cc, lines()): labels of as many lines as they need, and room for them.
function fitLabels(spec: Spec, width: number): Spec {
  const y = spec.encoding?.y;
  const domain = y?.scale?.domain;
  if (y?.field !== 'line' || !y.axis?.labelExpr || !domain || !spec.data?.values) return spec;
  const height = y.axis.labelLineHeight ?? lineHeight;
  const most = Math.floor(labelRoom(width) / 6.8);
  const lines = new Map(domain.map((label) => [label, wrapped(label, most)]));
  const tallest = Math.max(...[...lines.values()].map((parts) => parts.length));
  // Shorter ones begin lower, so that all stand around the middle of their bar.
  const now = (label: string): string => {
    const parts = lines.get(label) ?? [label];
    return '\n'.repeat((tallest - parts.length) >> 1) + parts.join('\n');
  };
  return {
    ...spec,
    height: Math.max(spec.height ?? 0, lines.size * (tallest * height + 8)),
    data: { ...spec.data, values: spec.data.values.map((row) => ({ ...row, line: now(String(row['line'])) })) },
    encoding: { ...spec.encoding, y: { ...y, scale: { ...y.scale, domain: domain.map(now) }, axis: { ...y.axis, labelOffset: -height * (tallest - 1) / 2 } } },
  };
}

// An axis whose labels stand on these lines. Shorter ones begin later, so that all stand around the middle of their
// place; the data keep their names, which the tooltips tell.
function onLines(axis: Axis | undefined, labels: string[], most: number): Axis {
  const lines = labels.map((label) => wrapped(label, most));
  const tallest = Math.max(...lines.map((parts) => parts.length));
  const padded = lines.map((parts) => [...Array<string>((tallest - parts.length) >> 1).fill('\u00a0'), ...parts]);
  return {
    ...axis, labelExpr: `${JSON.stringify(padded)}[indexof(${JSON.stringify(labels)}, datum.label)]`,
    labelLineHeight: lineHeight, labelOffset: -lineHeight * (tallest - 1) / 2, labelLimit: 0, maxExtent: 600,  // the title stands beyond them
  };
}

// A matrix (plot_heat_map.cc): names beside it on as many lines as they need, names above it across or upright, upright
// on as many lines as a cell has room for.
function fitMatrix(spec: Spec, width: number): Spec {
  const { x, y } = spec.encoding ?? {};
  if (x?.field !== 'column' || y?.field !== 'row') return spec;
  const [columns, rows] = [x.scale?.domain, y.scale?.domain];
  if (!columns || !rows) return spec;
  const beside = Math.floor(labelRoom(width) / pixels(1));
  const cell = (width - pixels(Math.min(beside, longestOf(rows))) - 30) / columns.length;
  const across = pixels(longestOf(columns)) <= cell;
  let most = longestOf(columns);
  // As short as it gets in the lines that there is room for.
  const room = Math.max(1, Math.floor(cell / lineHeight));
  while (!across && most > 12 && tallestOf(columns, most - 1) <= room) --most;
  return {
    ...spec,
    height: Math.max(spec.height ?? 0, rows.length * (tallestOf(rows, beside) * lineHeight + 8)),
    encoding: {
      ...spec.encoding,
      x: { ...x, axis: { ...onLines(x.axis, columns, most), labelAngle: across ? 0 : -90 } },
      y: { ...y, axis: onLines(y.axis, rows, beside) },
    },
  };
}

export const fitted = (spec: Spec, width: number): Spec => fitMatrix(fitLabels(spec, width), width);
