/**
 * `node test/bench/orphans.ts 5000 10`: what one run of the check `safety/orphans` leaves in its
 * history when a cloud lists 5,000 instances for 10 classes, with a driver that is built in and
 * with one that is not. The cloud, Kubernetes and the time are doubles; the workflow and the
 * activities that decide are the real ones.
 */
import type { Driver, ListedInstance } from '../../activities/drivers/driver.ts';
import { findOrphans } from '../../activities/safety/orphans/find-orphans.ts';
import { evaluateListings } from '../../activities/safety/orphans/find-orphans.ts';
import type {
  OrphanCheck,
  OrphanSearchRequest,
} from '../../workflows/contracts/safety-activities.ts';
import type { OrphanReport } from '../../workflows/safety/orphans.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../support/builders.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { prepare } from '../../deploy/local/prepare/prepare.ts';
import { TemporalForTests } from '../support/temporal.ts';

const [count = '5000', classCount = '10'] = process.argv.slice(2);
const cluster = 'd3b5e2a8-4a1f-4f0e-9c55-0d6e1c0f7a11';
const uidOf = (index: number): string =>
  `5a1c9f04-77d2-4a53-8f3e-${String(index).padStart(12, '0')}`;
const providerIDOf = (index: number): string =>
  `aws:///eu-central-1/i-0${String(index).padStart(16, '0')}`;
const nameOf = (index: number): string => `shoot--project--name-pool-z1-7f9c4-${index}`;

const classNames = Array.from({ length: Number(classCount) }, (_, index) => `pool-${index}`);
const indexes = Array.from({ length: Number(count) }, (_, index) => index);
const instances: ListedInstance[] = indexes.map((index) => ({
  providerID: providerIDOf(index),
  machineName: nameOf(index),
  token: `${uidOf(index)}-0`,
  createdAt: 1_700_000_000_000 + index,
}));
const control = new InMemoryClient(
  aSecret({ key: 'k' }, { name: 'credentials' }),
  ...classNames.map((name) =>
    aMachineClass({ metadata: { name }, secretRef: { name: 'credentials', namespace } }),
  ),
  ...indexes.map((index) =>
    aMachine({
      phase: 'Running',
      metadata: { name: nameOf(index), uid: uidOf(index) },
      spec: {
        class: { kind: 'MachineClass', name: classNames[index % classNames.length] ?? '' },
        providerID: providerIDOf(index),
      },
    }),
  ),
);
const driver: Pick<Driver, 'listInstances' | 'listScope' | 'describeInstance' | 'settleSeconds'> = {
  settleSeconds: 30,
  listScope: () => 'one region',
  listInstances: async () => instances,
  describeInstance: async () => undefined,
};

await prepare(['temporal-test-server']);
const temporal = await TemporalForTests.start();
const kube = {
  evaluateListings: (request: Parameters<typeof evaluateListings>[1]) =>
    evaluateListings(control, request),
};
const runs = {
  'built in': {
    findProviders: async () => ['virtual'],
    ...kube,
  },
  external: {
    findProviders: async () => [{ provider: 'virtual', classNames }],
    ...kube,
  },
};
const served = {
  findOrphans: (request: OrphanSearchRequest) =>
    findOrphans({ driver, control, signal: () => new AbortController().signal }, request),
  listInstances: async () => ({ outcome: 'listed', instances }),
};
for (const [kind, activities] of Object.entries(runs)) {
  const id = `orphans-${kind.replace(' ', '-')}`;
  const check: OrphanCheck = {
    namespace,
    cluster,
    mode: 'delete',
    maxDeletions: 5,
    minAgeSeconds: 600,
  };
  await temporal.withWorkers(id, { kube: activities, driver: served }, async () => {
    const begunAt = performance.now();
    const options = { taskQueue: id, workflowId: id, args: [check] };
    const run = await temporal.client.workflow.start('safetyOrphans', options);
    const { kept, errors }: OrphanReport = await run.result();
    const seconds = (performance.now() - begunAt) / 1_000;
    const { historyLength } = await run.describe();
    console.log(
      `${kind}: ${instances.length} instances, ${classNames.length} classes: ${historyLength} events, payloads: ${await payloadBytes(run)}, ${seconds.toFixed(1)} s, ${kept.total} kept, errors: ${JSON.stringify(errors)}`,
    );
  });
}
await temporal.stop();
process.exit(0);

/** A history may be larger than a message of gRPC: then that is what is said. */
async function payloadBytes(run: {
  fetchHistory(): Promise<{ events?: unknown }>;
}): Promise<string> {
  try {
    return `${bytesOf((await run.fetchHistory()).events)} bytes`;
  } catch (error) {
    return `more than fetchHistory takes: ${messageOf(error)}`;
  }
}

/** gRPC's own words are in the cause. */
function messageOf(error: unknown): string {
  const { cause = error } = Object(error);
  return String(Object(cause).details ?? error);
}

/** Of everything in an event that is a payload. */
function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + bytesOf(part), 0);
}
