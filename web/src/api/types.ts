// What the server answers, as its OpenAPI file says it.
import type { Spec } from '../plots/spec';

// An end that is not finite is null.
export type Ends = [number | null, number | null];

export interface Estimate {
  value: number | null;
  n: number;
  count?: number;
  ci?: Ends | null;
  method?: string;
  level?: number;
  undefined?: string;
  missing?: Record<string, number>;
  bounds?: Ends | null;
}
export type Form = 'number' | 'share' | 'count';
export type Better = 'higher' | 'lower' | 'neither';

// A figure with how it is shown.
export interface Figure {
  name: string;
  estimate: Estimate;
  form: Form;
  better: Better;
  headline?: boolean;
  range?: Ends;
  reference?: number;
}

export type RunState = 'running' | 'unfinished' | 'done' | 'gate failed';
export interface RunGlance {
  id: string;
  directory: string;
  evaluation: string;
  what: string;
  models: string[];
  state: RunState;
  started: string;
  finished: string | null;
  done: number;
  cases: number;  // 0: unknown
  errored: number;
  headline: Figure | null;
  gates: { passed: number; failed: number };
  cost_usd: number | null;
  simulated: string[];
  live: { requests: number; tokens: number; rate: number | null; seconds_left: number | null } | null;
}
export interface RunList { runs: RunGlance[]; fitting: number; total: number; evaluations: string[] }

export interface Gate { gate: string; passed: boolean; value: number | null; note?: string }
export interface SummaryTable { columns?: string[]; labels?: string[]; rows: unknown[][] }
export interface Summary {
  assay: string;
  evaluation: string;
  what?: string;
  run_id: string;
  started: string;
  finished: string;
  worked_seconds?: number;
  about?: Record<string, string>;
  simulated?: string[];
  conclusions?: string[];
  cases: { total: number; evaluated: number; errored: number; invalid: number; skipped?: number };
  metrics: Record<string, Estimate>;
  tables: Record<string, SummaryTable>;
  usage: { requests: number; retries?: number; repairs?: number; prompt_tokens: number; completion_tokens: number; cached_tokens?: number; reasoning_tokens?: number; cost_usd: number | null; cached: number };
  gates: Gate[];
  display?: {
    metrics?: Record<string, { form?: Form; headline?: boolean; better?: Better; range?: Ends; reference?: number }>;
    tables?: Record<string, { title?: string; row_title?: string; column_title?: string }>;
  };
}
export interface PlotFile { name: string; title: string; caption: string; spec: Spec; wide: boolean }
export interface Notable { id: string; why: string; fields: { name: string; text: string }[] }
export interface Problem { severity: string; place: string; message: string }
export interface RunDetail {
  run: RunGlance;
  summary: Summary | null;
  plots: PlotFile[];
  notable: Notable[];
  problems: Problem[];
  problem_count: number;
  config: string;
  command: string;
  pages: string[];
}

export interface CaseGlance {
  id: string;
  outcome: string;
  ended: string;
  scores: Record<string, number | null>;
  cost_usd: number | null;
  latency_ms: number | null;
  error?: string;
  text?: string;
}
export interface CasePage {
  rows: CaseGlance[];
  fitting: number;
  total: number;
  not_begun: number;
  finished: boolean;
  scores: string[];
  outcomes: Record<string, number>;
  traits?: Record<string, string[]>;  // by which cases can be told apart: slices, labels
}

export interface ToolCall { id?: string; name: string; arguments?: unknown; arguments_text?: string }
export interface Message { role: string; text?: string; tool_calls?: ToolCall[]; tool_call_id?: string; is_error?: boolean }
export interface Effect {
  step: string;
  attempt: number;
  kind: string;
  model: string;
  request: unknown;
  reply: unknown;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  reasoning_tokens: number;
  cost_usd: number | null;
  latency_ms: number;
  tries: number;
  reused: boolean;
  finished: string;
}
export interface CaseView {
  evaluation: string;
  id: string;
  line?: number | null;
  outcome: string;
  input?: Record<string, unknown> | null;
  effects: Effect[];
  result: Record<string, unknown> | null;  // none as long as it is under way
  notes: string[];
}

export interface Change {
  metric: string;
  base: number | null;
  new: number | null;
  difference: Estimate;
  ci_with_missing: Ends | null;
  p: number | null;
  p_holm: number | null;
  effect_size: Estimate;
  rose: number;
  fell: number;
  equal: number;
  unpaired: number;
  change: string;
  regression: boolean;
  sentence: string;
}
export interface ChangedCase { id: string; metric: string; base: number; new: number }
export interface Comparison {
  conclusions: string[];
  evaluation: string;
  pairs: number;
  only_in_base: string[];
  only_in_new: string[];
  different_text: number;
  simulated: string[];
  differences: string[];
  judged_differently: string[];
  new_failures: { id: string; outcome?: string; error?: string; text?: string }[];
  mended: string[];
  no_longer_pass: string[];
  pass_now: string[];
  metrics: Change[];
  changed_most: ChangedCase[];
  without_test: { metric: string; base: number | null; new: number | null }[];
  regression: boolean;
}
export interface Comparisons { base: RunGlance; comparisons: { run: RunGlance; comparison: Comparison }[] }

export type SheetKind = 'pair' | 'rating' | 'label' | 'rubric';
export interface Sheet {
  id: string;
  run: string;
  kind: SheetKind;
  title: string;
  question: string;
  figure: string | null;
  scale: [number, number] | null;
  labels: string[];
  of: number;
  people: { name: string; done: number }[];
  created: string;
}
export interface Offer { kind: SheetKind; title: string; figure: string | null; scale: [number, number] | null; labels: string[]; variants?: string[]; cases: number }
export interface SheetRequest { kind: SheetKind; figure?: string; variants?: string[]; question?: string; scale?: [number, number]; labels?: string[]; count: number; seed?: number }
export interface Task { key: string; number: number; of: number; material: { name: string; text: string }[]; answers?: { A: string; B: string } }
export interface NextTask { task: Task | null; done: number; of: number }
export interface Agreement {
  people: string[];
  pairs: { a: string; b: string; n: number; agreement: Estimate; kappa?: Estimate }[];
  alpha: Estimate | null;
  judge: { person: string; n: number; agreement: Estimate; kappa?: Estimate }[];
  human?: Estimate | null;
  corrected: { judge_only: Estimate; human_only: Estimate; corrected: Estimate } | null;
  sentences: string[];
}

export interface About { assay: string; client: string; roles: string[]; configs: boolean; data: boolean }
export interface ConfigGlance { name: string; evaluation: string; what: string; problem?: string }
export interface KeyDeclaration { name: string; type: string; help: string; default?: unknown; required?: boolean; choices?: string[]; minimum?: number; maximum?: number; changeable?: boolean }
export interface ConfigDetail { name: string; text: string; evaluation: string; values: Record<string, unknown>; keys: KeyDeclaration[] }
