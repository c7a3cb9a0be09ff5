// Figures as people read them, the same as src/report/words.cc writes: "60.0%", "1,234", "n/a". A share that is not
// exactly 0 or 1 never shows as 0% or 100%. Pure.
import type { Ends, Estimate, Figure, Form } from '../api/types';

export const notAvailable = 'n/a';

function withSeparators(digits: string): string {
  const [whole = '', ...rest] = digits.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

// As %g writes it: so many significant digits, no zeros behind them.
function general(number: number, digits: number): string {
  if (number === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(number)));
  if (exponent >= -5 && exponent < digits) return String(Number(number.toPrecision(digits)));
  return number.toExponential(digits - 1).replace(/\.?0+e/, 'e').replace(/e([+-])(\d)$/, 'e$10$2');
}

export const countWords = (count: number): string => withSeparators(String(Math.round(count)));

export function shareWords(share: number): string {
  if (!Number.isFinite(share)) return notAvailable;
  const percent = share * 100;
  let text = '';
  for (let decimals = 1; decimals <= 6; ++decimals) {
    text = percent.toFixed(decimals);
    // 99.96 would round to 100.0, which only a perfect share may show.
    const shown = Number(text);
    if ((shown !== 0 || percent === 0) && (shown !== 100 || percent === 100)) break;
  }
  return text === '-0.0' ? '0.0%' : `${text}%`;
}

export function numberWords(number: number): string {
  if (!Number.isFinite(number)) return notAvailable;
  const size = Math.abs(number);
  if (size >= 1e15) return general(number, 3);
  if (size >= 1000) return withSeparators(number.toFixed(1));
  if (size === 0) return '0.000';
  return size >= 0.001 ? number.toFixed(3) : general(number, 3);
}

export function costWords(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined || !Number.isFinite(dollars)) return 'unknown';
  if (dollars === 0) return '$0';
  return `$${Math.abs(dollars) < 0.01 ? general(dollars, 2) : withSeparators(dollars.toFixed(2))}`;
}

export function figureWords(value: number, form: Form): string {
  if (form === 'share') return shareWords(value);
  return form === 'count' && Number.isInteger(value) && Math.abs(value) < 1e15 ? countWords(value) : numberWords(value);
}

export const valueWords = ({ estimate, form }: Pick<Figure, 'estimate' | 'form'>): string =>
  estimate.value === null ? notAvailable : figureWords(estimate.value, form);

export const rangeWords = ([low, high]: Ends, form: Form): string => `${figureWords(low ?? NaN, form)} – ${figureWords(high ?? NaN, form)}`;

// "" where no interval is meant.
export function intervalWords({ estimate, form }: Pick<Figure, 'estimate' | 'form'>): string {
  if (estimate.ci) return rangeWords(estimate.ci, form);
  return estimate.undefined ? notAvailable : '';
}

export const levelWords = (level = 0.95): string => `${general(level * 100, 6)}%`;

export function basisWords(estimate: Estimate): string {
  if (estimate.count !== undefined && estimate.n > 0) return `${countWords(estimate.count)} of ${countWords(estimate.n)}`;
  return `n = ${countWords(estimate.n)}`;
}

const methods: Record<string, string> = {
  wilson: 'Wilson', clopper_pearson: 'Clopper–Pearson', jeffreys: 'Jeffreys', t: 't', t_clustered: 't, clustered',
  all_equal: 'bound, as no case differs', all_equal_clustered: 'bound, as no case differs, clustered',
  wilson_clustered: 'Wilson, clustered', wilson_shares: 'Wilson, cases’ shares', wilson_shares_clustered: 'Wilson, cases’ shares, clustered',
  paired_t: 'paired t', paired_t_clustered: 'paired t, clustered', paired_t_plus_one: 'paired t, one more pair without difference',
  paired_t_clustered_plus_one: 'paired t, clustered, one more cluster without difference', woodruff_clustered: 'Woodruff, clustered',
  order_statistics: 'order statistics', bootstrap_percentile: 'bootstrap', bootstrap_clusters: 'bootstrap over clusters',
  betting: 'betting sequence', betting_clustered: 'betting sequence over clusters', bootstrap_bca: 'bootstrap, BCa', pooled_sd: 'pooled deviation',
  ppi_plus_plus_weighted: 'PPI++, weighted', mean_weighted: 'mean, weighted', rogan_gladen: 'Rogan–Gladen', newcombe: 'Newcombe', t_linearised: 't, linearised', t_over_queries: 't over queries',
};
export const methodWords = (method: string): string => methods[method] ?? method;

export const plainWords = (name: string): string => name.replaceAll('_', ' ');
export const titleWords = (name: string): string => plainWords(name).replace(/^[a-z]/, (letter) => letter.toUpperCase());
// A field of data: "evaluateSourceType" as "evaluate source type".
export const fieldWords = (name: string): string => plainWords(name.replace(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`));
export const metricWords = (name: string): string => titleWords(name).replaceAll('.', ' · ');
export const countedWords = (count: number, one: string, many: string): string => `${countWords(count)} ${count === 1 ? one : many}`;
export const missingWords = (missing: Record<string, number> | undefined): string =>
  Object.entries(missing ?? {}).map(([reason, count]) => `${plainWords(reason)} ${countWords(count)}`).join(', ');

// "2026-09-01 08:30 UTC"; what is no time stays as it is.
export function timeWords(iso: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z?$/.exec(iso);
  return found ? `${found[1] ?? ''} ${found[2] ?? ''} UTC` : iso;
}

// "0.4 ms", "320 ms", "4.2 s", "2m 10s"
export function durationWords(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined || !Number.isFinite(milliseconds)) return notAvailable;
  if (milliseconds < 10) return `${general(milliseconds, 2)} ms`;
  if (milliseconds < 1000) return `${milliseconds.toFixed(0)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}h ${minutes}m` : `${minutes}m ${rest}s`;
}

// The time of work, without pauses between sittings where that is known, else from start to end; "" if unknown.
export function elapsedWords({ started, finished, worked_seconds }: { started: string; finished: string; worked_seconds?: number }): string {
  const milliseconds = worked_seconds !== undefined ? worked_seconds * 1000 : Date.parse(finished) - Date.parse(started);
  return Number.isFinite(milliseconds) ? durationWords(milliseconds) : '';
}

export const pWords = (p: number | null): string => (p === null ? notAvailable : p < 0.0001 ? '< 0.0001' : p.toFixed(4));
