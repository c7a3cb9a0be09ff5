// What is read of a Vega-Lite spec that src/report/plots made; everything else goes to Vega-Lite as it is.
export interface Axis {
  labelExpr?: string;
  labelLineHeight?: number;
  [more: string]: unknown;
}
export interface Channel {
  field?: string;
  scale?: { domain?: string[]; [more: string]: unknown };
  axis?: Axis;
  [more: string]: unknown;
}
export type Row = Record<string, unknown>;
export interface Spec {
  title?: unknown;
  height?: number;
  config?: object;
  data?: { values?: Row[] };
  encoding?: { x?: Channel; y?: Channel; [more: string]: unknown };
  [more: string]: unknown;
}
