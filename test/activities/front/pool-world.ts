/**
 * A pool of theirs on an API server in memory, the activity that mirrors it, and in the place of
 * the core and the garbage collector the least that they do.
 */
import { createFrontActivities } from '../../../activities/front/index.ts';
import type { FrontSettings } from '../../../activities/front/dependencies.ts';
import { pathOf } from '../../../activities/front/paths.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../../workflows/api/kubermatic.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { SyncOutcome } from '../../../workflows/contracts/front-activities.ts';
import type { WrittenKind } from '../../../workflows/plan/front/writes.ts';
import { authority, someConfig } from '../../userdata/some-pool.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { CoreDouble } from './core-double.ts';
import { aTheirDeployment, namespace, pool } from './their-objects.ts';

type Objects = {
  theirDeployment: KubermaticMachineDeployment;
  theirSet: KubermaticMachineSet;
  theirMachine: KubermaticMachine;
  deployment: MachineDeployment;
  set: MachineSet;
  machine: Machine;
};
type OtherKind = Exclude<WrittenKind, keyof Objects>;
type ObjectOf<Kind extends WrittenKind> = Kind extends keyof Objects
  ? Objects[Kind]
  : Kind extends OtherKind
    ? KubeObject & Record<string, unknown>
    : never;

const { downloads } = someConfig();
const kubernetes = {
  apiServer: 'https://api.example.com:6443',
  caBundle: authority,
  clusterDNS: ['10.96.0.10'],
};

export const aCluster: FrontSettings = {
  instanceCluster: 'test',
  replacesUnhealthy: false,
  userDataConfig: 'user-data',
  machineControllerLease: { namespace, name: 'machine-controller' },
};

export class PoolWorld {
  readonly api: InMemoryClient;
  readonly settings: FrontSettings;
  readonly core: CoreDouble;
  readonly #front: ReturnType<typeof createFrontActivities>;

  constructor(objects: readonly object[] = [aTheirDeployment()], settings = aCluster) {
    this.api = new InMemoryClient(...objects, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'user-data', namespace },
      data: { 'config.yaml': JSON.stringify({ kubernetes, downloads }) },
    });
    for (const kind of ['Machine', 'MachineSet', 'MachineDeployment']) this.api.serve(kind, true);
    this.settings = settings;
    this.core = new CoreDouble(this.api, namespace);
    this.#front = this.aProcess();
  }

  readonly input = { ref: { namespace, name: pool } };

  aProcess(
    env: Record<string, string> = {},
    control: KubeClient = this.api,
  ): ReturnType<typeof createFrontActivities> {
    const { settings } = this;
    return createFrontActivities({ control, target: control, cluster: 'target', env, settings });
  }

  async sync(): Promise<SyncOutcome> {
    return await this.#front.syncPool(this.input);
  }

  /** Until neither side changes; returns the last outcome. */
  async settle(): Promise<SyncOutcome> {
    for (let rounds = 0; rounds < 30; rounds += 1) {
      const before = this.api.writes().length;
      const outcome = await this.sync();
      await this.act();
      if (this.api.writes().length === before) return outcome;
    }
    throw new Error('the pool does not come to rest');
  }

  async all<Kind extends WrittenKind>(kind: Kind): Promise<ObjectOf<Kind>[]> {
    return (await this.api.list<ObjectOf<Kind>>(pathOf(kind, namespace))).items;
  }

  async get<Kind extends WrittenKind>(kind: Kind, name: string = pool): Promise<ObjectOf<Kind>> {
    return await this.api.read<ObjectOf<Kind>>(pathOf(kind, namespace, name));
  }

  async patch(kind: WrittenKind, name: string, body: object): Promise<void> {
    await this.api.patch(pathOf(kind, namespace, name), 'merge', body);
  }

  async delete(kind: WrittenKind, name: string = pool, options: object = {}): Promise<void> {
    await this.api.delete(pathOf(kind, namespace, name), options);
  }

  async names(kind: WrittenKind): Promise<string[]> {
    return (await this.all(kind)).map(({ metadata }) => metadata.name);
  }

  /** One turn of the core and of the garbage collector. */
  async act(): Promise<void> {
    await this.core.act();
  }
}

/** What both sides are, without what differs from one run to the next. */
export async function stateOf(world: PoolWorld): Promise<object> {
  const kinds = [
    'theirDeployment',
    'theirSet',
    'theirMachine',
    'deployment',
    'set',
    'machine',
    'class',
    'secret',
    'configMap',
  ] as const;
  const all = await Promise.all(kinds.map(async (kind) => [kind, await world.all(kind)] as const));
  return Object.fromEntries(all.map(([kind, objects]) => [kind, objects.map(contentOf)]));
}

const changing = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'lastTransitionTime',
  'lastUpdated',
  'machine-controller/owned-by',
  'front.millwright.dev/mirror-of',
]);

export function contentOf(object: object): unknown {
  return JSON.parse(
    JSON.stringify(object, (key, value) => (changing.has(key) ? undefined : value)),
  );
}

export async function instancesOf(world: PoolWorld): Promise<(string | undefined)[]> {
  return (await world.all('theirMachine')).map(({ spec }) => spec.providerID);
}
