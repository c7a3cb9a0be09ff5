// Draws every plot of a report: each <figure class="plot"> holds a Vega-Lite spec with its data as JSON, and a
// table of the same data, which is all a reader needs if nothing can be drawn. No network, no eval: expressions
// are interpreted, so the page's content security policy can stay closed.
import { compile } from 'vega-lite';
import { transforms } from 'vega-dataflow';
import * as encode from 'vega-encode';
import { expressionInterpreter } from 'vega-interpreter';
import { parse } from 'vega-parser';
import * as dataTransforms from 'vega-transforms';
import { mergeConfig } from 'vega-util';
import { View } from 'vega-view';
import * as viewTransforms from 'vega-view-transforms';

Object.assign(transforms, dataTransforms, viewTransforms, encode);

const themes = {
  light: { ink: '#1b2028', soft: '#57606d', line: '#dedad1', paper: '#ffffff' },
  dark: { ink: '#e7eaef', soft: '#a0aab8', line: '#2d3541', paper: '#191e26' },
};
const fonts = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif';
const exportWidth = 760;

// Names of styles that the specs use; src/report/plot_parts.cc has the same for other programs.
const legendColumns = (width) => (width < 560 ? 2 : 3);
const themeConfig = ({ ink, soft, line }, width) => ({
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

const labelRoom = (width) => Math.max(90, Math.round(width * 0.36));

// A label that is too long for its room goes on in the next line, at a place between words where there is one:
// cut at its end it would lose what tells it from others.
function wrapped(label, most) {
  const lines = [];
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

// Plots with one figure a line (plot_parts.cc, lines()): labels of as many lines as they need, and room for them.
function fitLabels(spec, width) {
  const y = spec.encoding?.y;
  if (y?.field !== 'line' || !y.axis?.labelExpr) return spec;
  const most = Math.floor(labelRoom(width) / 6.8);
  const lines = new Map(y.scale.domain.map((label) => [label, wrapped(label, most)]));
  const tallest = Math.max(...[...lines.values()].map((parts) => parts.length));
  // Shorter ones begin lower, so that all stand around the middle of their bar.
  const now = (label) => {
    const parts = lines.get(label) ?? [label];
    return '\n'.repeat((tallest - parts.length) >> 1) + parts.join('\n');
  };
  return {
    ...spec,
    height: Math.max(spec.height, lines.size * (tallest * y.axis.labelLineHeight + 8)),
    data: { ...spec.data, values: spec.data.values.map((row) => ({ ...row, line: now(row.line) })) },
    encoding: { ...spec.encoding, y: { ...y, scale: { ...y.scale, domain: y.scale.domain.map(now) }, axis: { ...y.axis, labelOffset: -y.axis.labelLineHeight * (tallest - 1) / 2 } } },
  };
}

const lineHeight = 15;
const pixels = (characters) => characters * 6.8;

// An axis whose labels stand on these lines. Shorter ones begin later, so that all stand around the middle of their
// place; the data keep their names, which the tooltips tell.
function onLines(axis, labels, most) {
  const lines = labels.map((label) => wrapped(label, most));
  const tallest = Math.max(...lines.map((parts) => parts.length));
  const padded = lines.map((parts) => [...Array((tallest - parts.length) >> 1).fill('\u00a0'), ...parts]);
  return {
    ...axis, labelExpr: `${JSON.stringify(padded)}[indexof(${JSON.stringify(labels)}, datum.label)]`,
    labelLineHeight: lineHeight, labelOffset: -lineHeight * (tallest - 1) / 2, labelLimit: 0, maxExtent: 600,  // the title stands beyond them
  };
}
const tallestOf = (labels, most) => Math.max(...labels.map((label) => wrapped(label, most).length));

// A matrix (plot_heat_map.cc): names beside it on as many lines as they need, names above it across or upright, upright
// on as many lines as a cell has room for.
function fitMatrix(spec, width) {
  const { x, y } = spec.encoding ?? {};
  if (x?.field !== 'column' || y?.field !== 'row') return spec;
  const [columns, rows] = [x.scale.domain, y.scale.domain];
  const beside = Math.floor(labelRoom(width) / pixels(1));
  const longest = (labels) => Math.max(...labels.map((label) => label.length));
  const cell = (width - pixels(Math.min(beside, longest(rows))) - 30) / columns.length;
  const across = pixels(longest(columns)) <= cell;
  let most = longest(columns);
  // As short as it gets in the lines that there is room for.
  const room = Math.max(1, Math.floor(cell / lineHeight));
  while (!across && most > 12 && tallestOf(columns, most - 1) <= room) --most;
  return {
    ...spec,
    height: Math.max(spec.height, rows.length * (tallestOf(rows, beside) * lineHeight + 8)),
    encoding: {
      ...spec.encoding,
      x: { ...x, axis: { ...onLines(x.axis, columns, most), labelAngle: across ? 0 : -90 } },
      y: { ...y, axis: onLines(y.axis, rows, beside) },
    },
  };
}

function makeView(given, theme, width, options) {
  const spec = fitMatrix(fitLabels(given, width), width);
  const themed = { ...spec, config: mergeConfig(spec.config ?? {}, themeConfig(theme, width)) };
  const runtime = parse(compile(themed).spec, undefined, { ast: true });
  return new View(runtime, { expr: expressionInterpreter, loader, ...options });
}

function save(name, address) {
  const link = document.createElement('a');
  link.download = name;
  link.href = address;
  link.click();
}
const asBlob = (text, type) => URL.createObjectURL(new Blob([text], { type }));

// Exports are for documents: light, on white, with title and caption, at one width.
const exportView = (spec) =>
  makeView({ ...spec, width: exportWidth, background: '#ffffff', padding: 12 }, themes.light, exportWidth, { renderer: 'none' });

class Plot {
  constructor(figure) {
    this.figure = figure;
    this.name = figure.dataset.name || 'plot';
    this.spec = JSON.parse(figure.querySelector('script.plot').textContent);
    this.canvas = figure.querySelector('.canvas');
  }

  draw(theme) {
    this.view?.finalize();
    this.canvas.replaceChildren();
    const { title, ...shown } = this.spec;  // the page has both title and caption already
    this.view = makeView(shown, theme, this.canvas.clientWidth, { renderer: 'svg', container: this.canvas, hover: false });
    this.view.run();
  }

  addButtons() {
    const bar = this.figure.querySelector('.actions');
    const button = (words, help, action) => {
      const element = document.createElement('button');
      element.type = 'button';
      element.className = 'plain';
      element.textContent = words;
      element.title = help;
      element.addEventListener('click', action);
      bar.append(element);
    };
    button('SVG', 'Save the plot as SVG', async () => save(`${this.name}.svg`, asBlob(await exportView(this.spec).toSVG(), 'image/svg+xml')));
    button('PNG', 'Save the plot as PNG', async () => save(`${this.name}.png`, await exportView(this.spec).toImageURL('png', 2)));
    button('Vega-Lite', 'Save the spec with its data', () => save(`${this.name}.vl.json`, asBlob(JSON.stringify(this.spec, null, 2), 'application/json')));
    bar.hidden = false;
  }

  giveUp(error) {
    console.error(error);
    this.view = undefined;
    this.canvas.textContent = `This plot could not be drawn (${error.message}); its data are below.`;
    this.figure.querySelector('details').open = true;
  }
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const themeNow = () => (dark.matches ? themes.dark : themes.light);
const plots = [];

function drawAll(theme) {
  for (const plot of plots) {
    try {
      plot.draw(theme);
    } catch (error) {
      plot.giveUp(error);
    }
  }
}

for (const figure of document.querySelectorAll('figure.plot')) {
  const plot = new Plot(figure);
  plots.push(plot);
  plot.addButtons();
}
drawAll(themeNow());
dark.addEventListener('change', () => drawAll(themeNow()));
addEventListener('beforeprint', () => drawAll(themes.light));
addEventListener('afterprint', () => drawAll(themeNow()));
