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
  directory: string;  // empty: its files are elsewhere
  resume: string;  // the words of `assay resume` that go on with it
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
  live: { requests: number; tokens: number; rate: number | null; seconds_left: number | null; workers: Worker[] } | null;
}
// One that is alive for a run over several machines.
export interface Worker { name: string; share: number; silent_seconds: number; why_not: string | null }
export interface RunList { runs: RunGlance[]; fitting: number; total: number; evaluations: string[] }

export interface Gate { gate: string; passed: boolean; value: number | null; note?: string }
export interface SummaryTable { columns?: string[]; labels?: string[]; rows: unknown[][]; more_rows?: number }
export interface CaseCounts { total: number; evaluated: number; errored: number; invalid: number; skipped?: number; open?: number }
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
  cases: CaseCounts;
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
// What a report shows of a run; `rests_on` are sentences on the cases behind its figures.
export interface ReportDetail {
  summary: Summary | null;
  rests_on: string[];
  plots: PlotFile[];
  notable: Notable[];
  problems: Problem[];
  problem_count: number;
  config: string;
  command: string;
  pages: string[];
}
export interface RunDetail extends ReportDetail { run: RunGlance }
// What report.html holds; of its cases how many there are, the file that has them if it is another, and whether it is all.
export interface ReportFile extends ReportDetail { summary: Summary; cases: { count: number; page: string; all: boolean } }

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
  complete: boolean;  // else these are the first rows, and the rest is being read
  scores: string[];
  outcomes: Record<string, number>;
  traits?: Record<string, string[]>;  // by which cases can be told apart: slices, labels
}

export interface ToolCall { id?: string; name: string; arguments?: unknown; arguments_text?: string }
export interface Message { role: string; text?: string; tool_calls?: ToolCall[]; tool_call_id?: string; is_error?: boolean; reasoning?: string }
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
export interface ChangedCase { id: string; metric: string; base: number; new: number; worse: boolean }
// Of runs that are judged differently: what the second judge makes of the answers that the first one judged.
export interface JudgeChange {
  sentences: string[];
  flips: { id: string; metric: string; base: number; new: number; base_reason: string; new_reason: string }[];
}
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
  judges?: JudgeChange | null;
  new_failures: { id: string; outcome?: string; error?: string; text?: string }[];
  mended: string[];
  no_longer_pass: string[];
  pass_now: string[];
  metrics: Change[];
  // The first of so many, most changed first: of all that changed, and of those that are worse.
  changed_scores: number;
  changed_most: ChangedCase[];
  worse_scores: number;
  worst: ChangedCase[];
  without_test: { metric: string; base: number | null; new: number | null }[];
  regression: boolean;
}
export interface Comparisons { base: RunGlance; comparisons: { run: RunGlance; comparison: Comparison }[] }

// Several systems on the same cases: lists are cut, `counts` says how many there are.
export interface Audit {
  conclusions: string[];
  figure: string;
  simulated: string[];
  counts: { cases: number; solved_by_all: number; solved_by_none: number; suspects: number; clusters: number };
  systems: { name: string; mean: Estimate; clustered: Estimate; design_effect: number | null }[];
  solved_by_all: string[];
  solved_by_none: string[];
  suspects: { id: string; wrong_key: number; asked: number; solved: number; key: string; common_answer: string; giving_it: number; answers: Record<string, string>; text: string }[];
  clusters: { ids: string[]; cases: number; least_similar: number; text: string }[];
  effective_cases: number;
  no_model: string;
  not_in_all: number;
  cases: { id: string; asked: number; solved: number; point_biserial: Estimate; discrimination: Estimate; difficulty: Estimate; wrong_key: number; text: string }[];
}
export interface AuditedRuns { runs: RunGlance[]; figures: string[]; audit: Audit }

// What the anchors of runs say of their judge.
export interface DriftSeries {
  evaluation: string;
  figure: string;
  anchors: { file: string; sha256: string };
  judge: string;
  differs: string[];
  runs: { directory: string; started: string; judged: number; mean: number | null; agreement: number | null; evidence: number | null }[];
  drifts: { way: 'higher' | 'lower' | 'closer' | 'further'; since: string; found_after: string; evidence: number | null; shift: Estimate; closeness_shift: Estimate }[];
}
export interface DriftOfRuns {
  drift: { sentences: string[]; drifted: boolean; series: DriftSeries[] };
  runs: { id: string; directory: string }[];
  unread: { id: string; message: string }[];
  left_out: number;
}

// What a pilot reached, and which designs reach a goal; `no_plan` says why there are none.
export interface Plan {
  sentences: string[];
  figure: string;
  width: number | null;
  detect: number | null;
  variance: { case: Estimate; answer: Estimate; vote: Estimate; design_effect: number };
  pilot: { cases: number; answers: number; votes: number; mean: number };
  designs: { cases: number; answers: number; votes: number; half_width: number; cost_usd: number | null; requests: number }[];
}
export interface PlanOfPilot { run: RunGlance; figure: string; figures: string[]; reached: string; plan: Plan | null; no_plan: string }

export type SheetKind = 'pair' | 'rating' | 'label' | 'rubric';
export interface Sheet {
  id: string;
  run: string;
  kind: SheetKind;
  title: string;
  question: string;
  // By which the judge answered it; '' if they are not known.
  rules: string;
  figure: string | null;
  scale: [number, number] | null;
  // What the steps of the scale mean, from its low end; none: it is not said.
  levels: string[];
  labels: string[];
  of: number;
  people: { name: string; done: number }[];
  created: string;
}
// `question`: what is asked if nobody says otherwise, where the server tells it.
export interface Offer { kind: SheetKind; title: string; figure: string | null; scale: [number, number] | null; labels: string[]; variants?: string[]; question?: string; cases: number }
// `no_offers`: why nothing is offered.
export interface SheetList { sheets: Sheet[]; offers: Offer[]; no_offers?: string }
export interface SheetRequest { kind: SheetKind; figure?: string; variants?: string[]; question?: string; scale?: [number, number]; labels?: string[]; count: number; seed?: number }
// `asked`: in the place of the sheet's question.
export interface Task { key: string; number: number; of: number; asked?: string; material: { name: string; text: string }[]; answers?: { A: string; B: string } }
export interface NextTask { task: Task | null; done: number; of: number }
// The alternative annotator test: is the judge as good as one more person? `as_good` is null where it is not said, and
// `no_verdict` says why.
export interface AnnotatorTest {
  winning_rate: Estimate;
  advantage: Estimate;
  epsilon: number;
  rate: number;
  fewest_cases: number;
  as_good: boolean | null;
  no_verdict: string;
  people: { name: string; advantage: Estimate; difference: number | null; p: number | null; p_adjusted: number | null; stands_up: boolean; untested?: string }[];
}
export interface Agreement {
  people: string[];
  pairs: { a: string; b: string; n: number; agreement: Estimate; kappa?: Estimate }[];
  alpha: Estimate | null;
  judge: { person: string; n: number; agreement: Estimate; kappa?: Estimate }[];
  human?: Estimate | null;
  corrected: { judge_only: Estimate; human_only: Estimate; corrected: Estimate } | null;
  annotator: AnnotatorTest | null;
  sentences: string[];
}

// `starts`: whether runs can be started, stopped and gone on with here.
export interface About { assay: string; client: string; roles: string[]; configs: boolean; data: boolean; starts: boolean }
export interface ConfigGlance { name: string; evaluation: string; what: string; problem?: string }
export interface KeyDeclaration { name: string; type: string; help: string; default?: unknown; required?: boolean; choices?: string[]; minimum?: number; maximum?: number; changeable?: boolean }
export interface ConfigDetail { name: string; text: string; evaluation: string; values: Record<string, unknown>; keys: KeyDeclaration[] }

// How long the data service keeps things, in seconds; null: for ever.
export interface Pruned { records: number; results: number; failures: number; items: number; jobs: number }
export interface Retention {
  keep: { records: number | null; jobs: number | null; items: number | null };
  due: Pruned;
  last_sweep: { ended: string; removed: Pruned; problem?: string } | null;
}
