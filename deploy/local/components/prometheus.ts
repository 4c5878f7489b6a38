import { join } from 'node:path';
import { writeFileAtomically } from '../atomic-file.ts';
import { repository } from '../layout.ts';
import { host } from '../supervision/ports.ts';
import { answersOk, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

const rules = join(repository, 'deploy/monitoring/rules/*.yaml');
/** For a person who watches: production has 30 s. The alerts wait as long as in production. */
const interval = '5s';
/** Yesterday can still be read. */
const retention = '2d';

/** Prometheus, with the alert rules of deploy/monitoring. It scrapes what `others` has of ours. */
export function prometheus(world: StackWorld, others: readonly Component[]): Component {
  const { binary, layout, ports } = world;
  const address = `http://${host}:${ports.prometheus}`;
  return {
    name: 'prometheus',
    needs: [],
    address,
    ports: [ports.prometheus],
    command: async () => {
      const config = prometheusConfig(others, world);
      writeFileAtomically(layout.prometheusConfig, `${JSON.stringify(config, undefined, 2)}\n`);
      return {
        file: binary('prometheus'),
        args: [
          `--config.file=${layout.prometheusConfig}`,
          `--storage.tsdb.path=${layout.prometheusData}`,
          `--storage.tsdb.retention.time=${retention}`,
          `--web.listen-address=${host}:${ports.prometheus}`,
          '--log.level=warn',
        ],
      };
    },
    isReady: () => answersOk(`${address}/-/ready`),
  };
}

interface PrometheusConfig {
  global: object;
  rule_files: string[];
  scrape_configs: { job_name: string; static_configs: ScrapeTargets[] }[];
}

interface ScrapeTargets {
  targets: readonly string[];
  labels: Readonly<Record<string, string>>;
}

/** Job and labels of the targets are those that the chart's ServiceMonitor gives them. */
export function prometheusConfig(
  others: readonly Component[],
  { options: { namespace }, ports }: Pick<StackWorld, 'options' | 'ports'>,
): PrometheusConfig {
  const ofOurs = others.flatMap(({ name, address = '' }): ScrapeTargets[] => {
    const component = /(?:^|-)(watcher|worker)$/.exec(name)?.[1];
    if (component === undefined) return [];
    const labels = { namespace, pod: name, app_kubernetes_io_component: component };
    return [{ targets: [new URL(address).host], labels }];
  });
  const ofTemporal = others.some(({ name }) => name === 'temporal')
    ? [{ targets: [`${host}:${ports.temporalMetrics}`], labels: {} }]
    : [];
  return {
    global: { scrape_interval: interval, evaluation_interval: interval },
    rule_files: [rules],
    scrape_configs: [
      { job_name: 'millwright', static_configs: ofOurs },
      { job_name: 'temporal', static_configs: ofTemporal },
    ],
  };
}
