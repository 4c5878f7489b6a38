/** A dashboard: rows of panels, each with queries. grafana.ts makes JSON of it. */

export interface Board {
  /** Also the name of its file. */
  name: 'fleet' | 'rollout' | 'drains' | 'clouds' | 'engine';
  title: string;
  description: string;
  /** Which of the variables its queries use. */
  variables: readonly VariableName[];
  /** Query for which the link opens the Temporal UI. */
  temporalQuery: string;
  rows: readonly Row[];
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

export interface Panel {
  title: string;
  /** The panel explained: its meaning, and how to read it. */
  description: string;
  /** `stat`: the present value; `graph`, the default: over time; `stack`: one upon the other. */
  kind?: 'stat' | 'graph' | 'stack';
  /** Default `short`. */
  unit?: Unit;
  /** The only one. */
  query?: string;
  /** Its legend. Default: the labels that it sums by. */
  legend?: string;
  /** Several, or one that is made. */
  queries?: readonly Query[];
  /** From which value on it is orange, and red. Default neither. */
  limits?: { orange?: number; red?: number };
  /** Words for values, such as `{ 0: 'no', 1: 'yes' }`. */
  words?: Readonly<Record<number, string>>;
  /** The trouble that it shows: a link to its page. */
  runbook?: string;
  /** It has data only once something has happened, such as a failure. Default false. */
  isOftenEmpty?: boolean;
}

export interface Query {
  expr: string;
  /** With labels in `{{ }}`. */
  legend: string;
}

export function queriesOf({ query = '', legend, queries }: Panel): readonly Query[] {
  return queries ?? [{ ...byLabels(query), ...(legend !== undefined && { legend }) }];
}

/** Query that sums by labels, which are its legend. */
export function byLabels(expr: string): Query {
  const [, labels = ''] = /by \(([^)]*)\)/.exec(expr) ?? [];
  const shown = labels.split(', ').filter((label) => label !== 'le');
  return { expr, legend: shown.map((label) => `{{${label}}}`).join(' ') };
}

/** Units of Grafana. */
export type Unit =
  's' | 'short' | 'ops' | 'bytes' | 'percentunit' | 'dateTimeFromNow' | 'dtdurations';

/** `install` is the namespace of the pods, `namespace` that of the Machines. */
export type VariableName = 'install' | 'namespace' | 'deployment';

/** Series of the pods of an install. */
export const ofInstall = 'namespace=~"$install"';
/** Those of them that belong to a namespace of Machines. */
export const ofNamespace = `${ofInstall}, kube_namespace=~"$namespace"`;
export const ofDeployment = `${ofNamespace}, machine_deployment=~"$deployment"`;

/** The values below which half, and 95 of 100, of the last hour are. */
export function quantiles(metric: string, selector: string, by: string): Query[] {
  return [0.5, 0.95].map((share) => ({
    expr: `histogram_quantile(${share}, sum by (le, ${by}) (increase(${metric}_bucket{${selector}}[1h])))`,
    legend: `{{${by}}} ${share === 0.5 ? 'half' : '95 of 100'}`,
  }));
}

/**
 * By how much a counter rose that is there from its first step on: increase() does not see that
 * one, so that what happened once did not happen.
 */
export function risen(counter: string, selector: string, window: string): string {
  const series = `${counter}{${selector}}`;
  const highest = `max_over_time(${series}[${window}])`;
  return `${highest} - (${series} offset ${window}) or ${highest}`;
}
