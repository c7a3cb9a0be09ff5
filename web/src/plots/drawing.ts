// Draws a Vega-Lite spec, the same in a report and on the page, and makes files of it. No network, no eval: expressions
// are interpreted, so that a page's content security policy can stay closed.
import { compile } from 'vega-lite';
import { transforms } from 'vega-dataflow';
import * as encode from 'vega-encode';
import { expressionInterpreter } from 'vega-interpreter';
import { parse } from 'vega-parser';
import * as dataTransforms from 'vega-transforms';
import { mergeConfig } from 'vega-util';
import { View } from 'vega-view';
import * as viewTransforms from 'vega-view-transforms';
import { fitted, labelRoom, legendColumns } from './labels';
import type { Spec } from './spec';

Object.assign(transforms, dataTransforms, viewTransforms, encode);

export interface Theme { ink: string; soft: string; line: string }
export const themes: { light: Theme; dark: Theme } = {
  light: { ink: '#1b2028', soft: '#57606d', line: '#dedad1' },
  dark: { ink: '#e7eaef', soft: '#a0aab8', line: '#2d3541' },
};
const fonts = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';
const exportWidth = 760;

// Names of styles that the specs use; src/report/plots/plot_parts.cc has the same for other programs.
const themeConfig = ({ ink, soft, line }: Theme, width: number): object => ({
  background: null,
  font: fonts,
  view: { stroke: null },
  title: { color: ink, subtitleColor: soft, anchor: 'start' },
  axis: {
    labelColor: ink, titleColor: soft, titleFontWeight: 500, gridColor: line, domainColor: line, tickColor: line,
    labelFontSize: 12, titleFontSize: 12, labelSeparation: 8,
  },
  axisY: { labelLimit: labelRoom(width) },
  legend: { labelColor: ink, titleColor: soft, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, labelLimit: Math.round(width / legendColumns(width)) - 50, columns: legendColumns(width) },
  style: { ink: { color: ink }, reference: { color: soft } },
});

// Nothing is fetched, whatever a spec may say.
const loader = {
  load: () => Promise.reject(new Error('a report loads nothing')),
  sanitize: () => Promise.reject(new Error('a report links nowhere')),
};

function makeView(given: Spec, theme: Theme, width: number, options: object): View {
  const spec = fitted(given, width);
  const themed = { ...spec, config: mergeConfig(spec.config ?? {}, themeConfig(theme, width)) };
  const runtime = parse(compile(themed).spec, undefined, { ast: true });
  return new View(runtime, { expr: expressionInterpreter, loader, ...options });
}

function titleOf({ title }: Spec): string {
  const text = typeof title === 'object' && title !== null && 'text' in title ? title.text : title;
  return [text].flat().filter((part) => typeof part === 'string').join(' ');
}

// Into an element of the page, which has title and caption already. To who cannot see it, it is one image: the data are
// in the table beside it, and Vega's own names of its parts say nothing.
export function drawInto(canvas: HTMLElement, spec: Spec, theme: Theme): View {
  const drawing = document.createElement('div');
  drawing.setAttribute('aria-hidden', 'true');
  canvas.replaceChildren(drawing);
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', titleOf(spec) || 'plot');
  const shown: Spec = { ...spec };
  delete shown.title;
  return makeView(shown, theme, canvas.clientWidth, { renderer: 'svg', container: drawing, hover: false }).run();
}

export function saveAddress(name: string, address: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = address;
  link.click();
}
export const saveText = (name: string, text: string, type: string): void =>
  saveAddress(name, URL.createObjectURL(new Blob([text], { type })));

// Exports are for documents: light, on white, with title and caption, at one width.
const exportView = (spec: Spec): View =>
  makeView({ ...spec, width: exportWidth, background: '#ffffff', padding: 12 }, themes.light, exportWidth, { renderer: 'none' });

// The files that a plot can be saved as.
export const savings: { words: string; help: string; save: (name: string, spec: Spec) => Promise<void> | void }[] = [
  { words: 'SVG', help: 'Save the plot as SVG', save: async (name, spec) => saveText(`${name}.svg`, await exportView(spec).toSVG(), 'image/svg+xml') },
  { words: 'PNG', help: 'Save the plot as PNG', save: async (name, spec) => saveAddress(`${name}.png`, await exportView(spec).toImageURL('png', 2)) },
  { words: 'Vega-Lite', help: 'Save the spec with its data', save: (name, spec) => saveText(`${name}.vl.json`, JSON.stringify(spec, null, 2), 'application/json') },
];
