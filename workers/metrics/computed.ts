/**
 * Series that are made when they are asked for, from what there is then: one that has no object any
 * more is gone, and none has to be taken away.
 */
import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';

export interface Sample {
  /** An empty value is the same to Prometheus as an absent label. */
  labels: Record<string, string>;
  value: number;
}

export interface Series<Source> {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  labels: readonly string[];
  read(source: Source): Iterable<Sample>;
}

/** `sources`: those that have something to say now. */
export function registerComputed<Source>(
  registry: Registry,
  series: readonly Series<Source>[],
  sources: () => Iterable<Source>,
): void {
  for (const { type, name, help, labels, read } of series) {
    const samples = (): Sample[] => samplesOf(sources(), read);
    const options = { name, help, labelNames: labels, registers: [] };
    const metric =
      type === 'gauge'
        ? new ComputedGauge(options, samples)
        : new ComputedCounter(options, samples);
    registry.registerMetric(metric);
  }
}

/** prom-client keeps the text of this one, and makes that of an absent one for each sample. */
const noLabels = {};

function samplesOf<Source>(sources: Iterable<Source>, read: Series<Source>['read']): Sample[] {
  const samples = [];
  for (const source of sources)
    for (const { labels, value } of read(source))
      samples.push({ labels, value, sharedLabels: noLabels });
  return samples;
}

interface MetricOptions {
  name: string;
  help: string;
  labelNames: readonly string[];
  registers: never[];
}

/** The values as they are: `set` would find each of thousands by a hash of its labels. */
class ComputedGauge extends Gauge {
  readonly #samples: () => Sample[];

  constructor(options: MetricOptions, samples: () => Sample[]) {
    super(options);
    this.#samples = samples;
  }

  override async get(): ReturnType<Gauge['get']> {
    return { ...(await super.get()), values: this.#samples() };
  }
}

class ComputedCounter extends Counter {
  readonly #samples: () => Sample[];

  constructor(options: MetricOptions, samples: () => Sample[]) {
    super(options);
    this.#samples = samples;
  }

  override async get(): ReturnType<Counter['get']> {
    return { ...(await super.get()), values: this.#samples() };
  }
}

export interface HistogramSeries<Source> {
  name: string;
  help: string;
  labels: readonly string[];
  /** Returns the histogram of one source; `with` goes on each of its series. */
  of(source: Source): { histogram: Histogram; with: Record<string, string> };
}

/** Histograms that come and go with their sources. */
export function registerComputedHistograms<Source>(
  registry: Registry,
  series: readonly HistogramSeries<Source>[],
  sources: () => Iterable<Source>,
): void {
  for (const one of series) registry.registerMetric(new ComputedHistogram(one, sources));
}

class ComputedHistogram<Source> extends Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #of: HistogramSeries<Source>['of'];
  readonly #sources: () => Iterable<Source>;

  constructor(
    { name, help, labels, of }: HistogramSeries<Source>,
    sources: () => Iterable<Source>,
  ) {
    super({ name, help, labelNames: labels, registers: [] });
    this.#name = name;
    this.#help = help;
    this.#of = of;
    this.#sources = sources;
  }

  /** Called by a registry (prom-client 15), though the types of a histogram do not have it. */
  async getForPromString(): Promise<object> {
    const values = await Promise.all(
      [...this.#sources()].map(async (source) => {
        const { histogram, with: shared } = this.#of(source);
        const own = await histogram.get();
        return own.values.map(({ metricName = own.name, ...value }) => ({
          ...value,
          // Replaces the source's name in `name_bucket`, `name_sum` and `name_count`.
          metricName: this.#name + metricName.slice(own.name.length),
          sharedLabels: shared,
        }));
      }),
    );
    return { name: this.#name, help: this.#help, type: 'histogram', values: values.flat() };
  }
}
