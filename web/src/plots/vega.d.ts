// The few calls of Vega that drawing a plot takes. Its own packages bring no types of their own that hold for the
// single parts.
declare module 'vega-dataflow' {
  export const transforms: Record<string, unknown>;
}
declare module 'vega-encode';
declare module 'vega-transforms';
declare module 'vega-view-transforms';
declare module 'vega-interpreter' {
  export const expressionInterpreter: unknown;
}
declare module 'vega-parser' {
  export function parse(spec: unknown, config: undefined, options: { ast: boolean }): unknown;
}
declare module 'vega-util' {
  export function mergeConfig(...configs: object[]): object;
}
declare module 'vega-lite' {
  export function compile(spec: unknown): { spec: unknown };
}
declare module 'vega-view' {
  export class View {
    constructor(runtime: unknown, options: object);
    run(): this;
    finalize(): this;
    toSVG(): Promise<string>;
    toImageURL(type: 'png', scale: number): Promise<string>;
  }
}
