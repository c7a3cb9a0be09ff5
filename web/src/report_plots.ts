// Draws every plot of a report: each <figure class="plot"> holds a Vega-Lite spec with its data as JSON, and a
// table of the same data, which is all a reader needs if nothing can be drawn.
import type { View } from 'vega-view';
import { drawInto, savings, themes, type Theme } from './plots/drawing';
import type { Spec } from './plots/spec';

class Plot {
  private readonly name: string;
  private readonly spec: Spec;
  private readonly canvas: HTMLElement;
  private view: View | undefined;

  constructor(private readonly figure: HTMLElement) {
    this.name = figure.dataset['name'] ?? 'plot';
    this.spec = JSON.parse(figure.querySelector('script.plot')?.textContent ?? '{}') as Spec;
    this.canvas = figure.querySelector<HTMLElement>('.canvas') ?? figure;
  }

  draw(theme: Theme): void {
    this.view?.finalize();
    this.view = drawInto(this.canvas, this.spec, theme);
  }

  addButtons(): void {
    const bar = this.figure.querySelector<HTMLElement>('.actions');
    if (!bar) return;
    for (const { words, help, save } of savings) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'plain';
      button.textContent = words;
      button.title = help;
      button.addEventListener('click', () => void save(this.name, this.spec));
      bar.append(button);
    }
    bar.hidden = false;
  }

  giveUp(error: unknown): void {
    console.error(error);
    this.view = undefined;
    this.canvas.textContent = `This plot could not be drawn (${error instanceof Error ? error.message : String(error)}); its data are below.`;
    const data = this.figure.querySelector('details');
    if (data) data.open = true;
  }
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const themeNow = (): Theme => (dark.matches ? themes.dark : themes.light);
const plots = [...document.querySelectorAll<HTMLElement>('figure.plot')].map((figure) => new Plot(figure));

function drawAll(theme: Theme): void {
  for (const plot of plots) {
    try {
      plot.draw(theme);
    } catch (error) {
      plot.giveUp(error);
    }
  }
}

for (const plot of plots) plot.addButtons();
drawAll(themeNow());
dark.addEventListener('change', () => drawAll(themeNow()));
addEventListener('beforeprint', () => drawAll(themes.light));
addEventListener('afterprint', () => drawAll(themeNow()));
