/**
 * `node --expose-gc test/bench/scrape.ts 2000`: what /metrics of a watcher costs that leads a
 * namespace with so many machines, in pools of 100: the time of a scrape, during which the watcher
 * does nothing else, and what is kept of the objects for metrics. The store, the views and the
 * registry are the real ones; the objects come from here, with the conditions of a Node.
 */
import { gzipSync } from 'node:zlib';
import type { MachineFigures } from '../../watcher/cache/figures.ts';
import { figuresOfMachine } from '../../watcher/cache/machine-view.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { aMachine, aMachineDeployment, aMachineSet, controlledBy } from '../support/builders.ts';
import { LeadingWatcher } from '../workers/metrics/leading-watcher.ts';

const [argument = '2000'] = process.argv.slice(2);
const count = Number(argument);
const poolSize = 100;
const rounds = 20;

const conditionTypes = [
  'CorruptDockerOverlay2',
  'DiskPressure',
  'FrequentContainerdRestart',
  'FrequentKubeletRestart',
  'FrequentUnregisterNetDevice',
  'KernelDeadlock',
  'MemoryPressure',
  'NetworkUnavailable',
  'PIDPressure',
  'ReadonlyFilesystem',
  'Ready',
];

const pools = Array.from({ length: Math.ceil(count / poolSize) }, (_, index) => {
  const deployment = aMachineDeployment({ metadata: { name: `shoot--project--pool-z${index}` } });
  const set = aMachineSet({
    metadata: {
      name: `shoot--project--pool-z${index}-7f9c4`,
      ownerReferences: controlledBy(deployment),
    },
  });
  return { deployment, set };
});

function machineOf(index: number): Machine {
  const pool = pools[Math.floor(index / poolSize)];
  if (!pool) throw new Error(`no pool for machine ${index}`);
  const name = `${pool.set.metadata.name}-${index}`;
  // As from the API server: no two objects share a text.
  return JSON.parse(
    JSON.stringify(
      aMachine({
        metadata: {
          name,
          uid: `5a1c9f04-77d2-4a53-8f3e-${String(index).padStart(12, '0')}`,
          labels: { name: pool.deployment.metadata.name, node: `node-of-${name}` },
          ownerReferences: controlledBy(pool.set),
        },
        spec: {
          class: { apiGroup: 'machine.sapcloud.io', kind: 'MachineClass', name: 'small' },
          providerID: `aws:///eu-central-1/i-0${String(index).padStart(16, '0')}`,
          nodeTemplate: {
            metadata: { labels: { 'topology.kubernetes.io/zone': 'eu-central-1a' } },
          },
        },
        status: {
          currentStatus: { phase: 'Running', lastUpdateTime: '2026-01-01T00:01:30Z' },
          conditions: conditionTypes.map((type) => ({
            type,
            status: type === 'Ready' ? 'True' : 'False',
          })),
        },
      }),
    ),
  );
}

const watcher = new LeadingWatcher();
for (const { deployment, set } of pools) watcher.put(deployment, set);
for (let index = 0; index < count; index += 1) watcher.put(machineOf(index));

const times: number[] = [];
let text = '';
for (let round = 0; round < rounds; round += 1) {
  const begunAt = process.cpuUsage();
  text = await watcher.registry.metrics();
  const { user, system } = process.cpuUsage(begunAt);
  times.push((user + system) / 1_000);
}
times.sort((a, b) => a - b);
const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;

console.log(`${count} machines, ${samples} samples, ${sizeOf(text.length)} of text,`);
console.log(`${sizeOf(gzipSync(text).length)} compressed`);
console.log(
  `CPU of a scrape: median ${ms(times[rounds / 2])}, longest ${ms(times.at(-1))} of ${rounds}`,
);
console.log(`kept for metrics: ${keptPerMachine()} B for each machine`);

function ms(time = 0): string {
  return `${Math.round(time)} ms`;
}

function sizeOf(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The heap that it takes to hold what only metrics read, of objects that are gone otherwise. */
function keptPerMachine(): string {
  if (!globalThis.gc) return '(run with --expose-gc)';
  const kept: MachineFigures[] = [];
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < count; index += 1) kept.push(figuresOfMachine(machineOf(index)));
  globalThis.gc();
  const after = process.memoryUsage().heapUsed;
  if (kept.length !== count) throw new Error('not all are kept');
  return String(Math.round((after - before) / count));
}
