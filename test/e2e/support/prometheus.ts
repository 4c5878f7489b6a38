/** The HTTP API of a Prometheus. */
import type { Panel } from '../../../deploy/monitoring/panel.ts';

export interface QueryAnswer {
  /** How many series. */
  series: number;
  warnings: string[];
  infos: string[];
}

interface Rule {
  name: string;
  /** `ok` once it was evaluated without an error. */
  health: string;
  state: string;
}

interface Answer<T> {
  data: T;
  warnings?: string[];
  infos?: string[];
}

interface Result {
  result: { value?: [number, string] }[];
}

/** What a panel of a dashboard shows by default, shortened: the stack is young. */
const rangeSeconds = 300;
const stepSeconds = 15;

export class Prometheus {
  readonly #address: string;

  constructor(address: string) {
    this.#address = address;
  }

  /** Of an expression with one series; undefined when it has none. */
  async value(query: string): Promise<number | undefined> {
    const { data } = await this.#get<Result>('query', { query });
    const value = data.result[0]?.value?.[1];
    return value === undefined ? undefined : Number(value);
  }

  /** Rejects with the words of Prometheus when it does not understand the query. */
  async ask(query: string, kind: Panel['kind']): Promise<QueryAnswer> {
    const end = Date.now() / 1_000;
    const range = { start: `${end - rangeSeconds}`, end: `${end}`, step: `${stepSeconds}` };
    const { data, warnings, infos } =
      kind === 'stat'
        ? await this.#get<Result>('query', { query })
        : await this.#get<Result>('query_range', { query, ...range });
    return { series: data.result.length, warnings: warnings ?? [], infos: infos ?? [] };
  }

  /** `up` or `down` by job and component. */
  async targets(): Promise<Record<string, string>> {
    const { data } = await this.#get<{
      activeTargets: { health: string; labels: Record<string, string> }[];
    }>('targets');
    return Object.fromEntries(
      data.activeTargets.map(({ health, labels }) => [
        `${labels['job']} ${labels['app_kubernetes_io_component'] ?? ''}`,
        health,
      ]),
    );
  }

  async rules(): Promise<Rule[]> {
    const { data } = await this.#get<{ groups: { rules: Rule[] }[] }>('rules');
    return data.groups.flatMap(({ rules }) => rules);
  }

  /** Labels of those that are pending or fire. */
  async alerts(): Promise<Record<string, string>[]> {
    const { data } = await this.#get<{ alerts: { labels: Record<string, string> }[] }>('alerts');
    return data.alerts.map(({ labels }) => labels);
  }

  async #get<T>(path: string, query: Record<string, string> = {}): Promise<Answer<T>> {
    const url = `${this.#address}/api/v1/${path}?${new URLSearchParams(query).toString()}`;
    const response = await fetch(url);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} ${query['query'] ?? ''}: ${text}`);
    return JSON.parse(text);
  }
}
