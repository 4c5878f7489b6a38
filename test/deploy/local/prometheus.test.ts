import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Component } from '../../../deploy/local/components/component.ts';
import { prometheusConfig } from '../../../deploy/local/components/prometheus.ts';
import { defaultOptions } from '../../../deploy/local/options.ts';
import { choosePorts } from '../../../deploy/local/supervision/ports.ts';

const { ports } = await choosePorts(
  { temporalMetrics: 5_000 },
  { isFree: () => Promise.resolve(true), anyFree: anyFree() },
);
const world = { options: { ...defaultOptions, namespace: 'shoot' }, ports };

function anyFree(): () => Promise<number> {
  let next = 20_000;
  return () => Promise.resolve((next += 1));
}

function component(name: string, address: string): Component {
  return { name, address, needs: [], ports: [], command: () => Promise.reject(new Error(name)) };
}

function target(pod: string, kind: string, port: number): object {
  const labels = { namespace: 'shoot', pod, app_kubernetes_io_component: kind };
  return { targets: [`127.0.0.1:${port}`], labels };
}

test('Prometheus scrapes each watcher and worker, and the Temporal of the stack', () => {
  const config = prometheusConfig(
    [
      component('etcd', 'http://127.0.0.1:1'),
      component('temporal', '127.0.0.1:2'),
      component('watcher', 'http://127.0.0.1:3'),
      component('worker', 'http://127.0.0.1:4'),
      component('second-worker', 'http://127.0.0.1:5'),
    ],
    world,
  );
  expect(config).toMatchObject({
    scrape_configs: [
      {
        job_name: 'millwright',
        static_configs: [
          target('watcher', 'watcher', 3),
          target('worker', 'worker', 4),
          target('second-worker', 'worker', 5),
        ],
      },
      { job_name: 'temporal', static_configs: [{ targets: ['127.0.0.1:5000'] }] },
    ],
  });
});

test('Prometheus scrapes nothing of ours without an operator, nor a Temporal elsewhere', () => {
  expect(prometheusConfig([component('etcd', 'http://127.0.0.1:1')], world)).toMatchObject({
    scrape_configs: [{ static_configs: [] }, { static_configs: [] }],
  });
});

test('Prometheus reads the rules of this repository', () => {
  const { rule_files: files } = prometheusConfig([], world);
  expect(files.map((file) => existsSync(dirname(file)))).toEqual([true]);
});
