/**
 * A pool of theirs on an API server in memory, the activity that mirrors it, and in the place of
 * the core and the garbage collector the least that they do.
 */
import { createFrontActivities } from '../../../activities/front/index.ts';
import type { FrontSettings } from '../../../activities/front/dependencies.ts';
import { pathOf } from '../../../activities/front/paths.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import { finalizers } from '../../../workflows/api/constants.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
  KubermaticMachineTemplate,
} from '../../../workflows/api/kubermatic.ts';
import { front, kubermaticApiVersion } from '../../../workflows/api/kubermatic-names.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { SyncOutcome } from '../../../workflows/contracts/front-activities.ts';
import { isSameTemplate } from '../../../workflows/plan/front/names.ts';
import type { WrittenKind } from '../../../workflows/plan/front/writes.ts';
import { templateHash } from '../../../workflows/values/names.ts';
import { authority, someConfig } from '../../userdata/some-pool.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

export const namespace = 'kube-system';
export const pool = 'pool';
const hashLabel = 'machine-template-hash';

export function aTheirTemplate(
  spec: Record<string, unknown> = {},
  { labels = { app: 'pool' } }: { labels?: Record<string, string> } = {},
): KubermaticMachineTemplate {
  return {
    metadata: { labels },
    spec: {
      providerSpec: {
        value: {
          cloudProvider: 'fake',
          cloudProviderSpec: { passValidation: true },
          operatingSystem: 'ubuntu',
          operatingSystemSpec: {},
          ...spec,
        },
      },
      versions: { kubelet: '1.34.2' },
    },
  };
}

export interface TheirDeployment {
  metadata?: Partial<KubermaticMachineDeployment['metadata']>;
  spec?: Partial<KubermaticMachineDeployment['spec']>;
}

export function aTheirDeployment({ metadata, spec }: TheirDeployment = {}): object {
  return {
    apiVersion: kubermaticApiVersion,
    kind: 'MachineDeployment',
    metadata: { name: pool, namespace, ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'pool' } },
      template: aTheirTemplate(),
      ...spec,
    },
  };
}

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
  #front: ReturnType<typeof createFrontActivities>;

  constructor(objects: readonly object[] = [aTheirDeployment()], settings = aCluster) {
    this.api = new InMemoryClient(...objects, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'user-data', namespace },
      data: { 'config.yaml': JSON.stringify({ kubernetes, downloads }) },
    });
    for (const kind of ['Machine', 'MachineSet', 'MachineDeployment']) this.api.serve(kind, true);
    this.settings = settings;
    this.#front = this.aProcess();
  }

  readonly input = { ref: { namespace, name: pool } };
  /** Names of Machines that the core made. */
  readonly made: string[] = [];

  aProcess(
    env: Record<string, string> = {},
    control: KubeClient = this.api,
  ): ReturnType<typeof createFrontActivities> {
    const { settings } = this;
    return createFrontActivities({ control, target: control, cluster: 'target', env, settings });
  }

  restart(): void {
    this.#front = this.aProcess();
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
    for (const deployment of await this.all('deployment')) await this.#rollOut(deployment);
    for (const set of await this.all('set')) await this.#scale(set);
    for (const machine of await this.all('machine')) await this.#live(machine);
    for (const kind of ['class', 'secret', 'configMap'] as const) {
      for (const object of await this.all(kind)) await this.#release(kind, object);
    }
  }

  async #rollOut(deployment: MachineDeployment): Promise<void> {
    const { metadata, spec } = deployment;
    const all = await this.all('set');
    const owned = all.filter((set) => ownerOf(set) === metadata.uid);
    if (metadata.deletionTimestamp !== undefined) {
      const isOrphaning = metadata.finalizers?.includes('orphan');
      for (const { metadata: set } of owned) {
        if (isOrphaning) await this.patch('set', set.name, { metadata: { ownerReferences: null } });
        else if (!set.deletionTimestamp) await this.delete('set', set.name);
      }
      if (isOrphaning || owned.length === 0) await this.#release('deployment', deployment);
      return;
    }
    const owner = { kind: 'MachineDeployment', ...pick(metadata), controller: true };
    const loose = all.filter((set) => ownerOf(set) === undefined);
    for (const set of loose.filter(
      ({ spec: { selector } }) => selector?.matchLabels?.['app'] === pool,
    )) {
      await this.patch('set', set.metadata.name, { metadata: { ownerReferences: [owner] } });
    }
    const present = [...owned, ...loose].find(({ spec: { template } }) =>
      isSameTemplate(Object(template), Object(spec.template)),
    );
    const labels = { ...spec.template.metadata?.labels, [hashLabel]: templateHash(spec.template) };
    const name = present?.metadata.name ?? `${pool}-${labels[hashLabel]}`;
    if (!present) {
      const revision = String(owned.length + 1);
      await this.api.create(pathOf('set', namespace), {
        apiVersion: 'machine.sapcloud.io/v1alpha1',
        kind: 'MachineSet',
        metadata: {
          name,
          namespace,
          labels,
          finalizers: [finalizers.machine],
          annotations: { 'deployment.kubernetes.io/revision': revision },
          ownerReferences: [owner],
        },
        spec: {
          replicas: spec.replicas,
          selector: { matchLabels: labels },
          template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
        },
      });
    }
    for (const { metadata: set, spec: old } of [...owned, ...loose]) {
      const replicas = set.name === name ? spec.replicas : 0;
      if (old.replicas !== replicas) await this.patch('set', set.name, { spec: { replicas } });
    }
    const revision = present?.metadata.annotations?.['deployment.kubernetes.io/revision'];
    await this.#patchUnlessSame('deployment', deployment, {
      metadata: {
        finalizers: [finalizers.machine],
        annotations: { 'deployment.kubernetes.io/revision': revision ?? String(owned.length + 1) },
      },
    });
    const observed = await this.get('deployment', metadata.name);
    const machines = await this.all('machine');
    await this.#patchUnlessSame('deployment', observed, {
      status: {
        replicas: machines.length,
        readyReplicas: machines.filter(({ spec: { providerID } }) => providerID).length,
        observedGeneration: observed.metadata.generation,
      },
    });
  }

  async #scale({ metadata, spec }: MachineSet): Promise<void> {
    const machines = await this.all('machine');
    const labels = spec.template?.metadata?.labels ?? {};
    const owner = { kind: 'MachineSet', ...pick(metadata), controller: true };
    const owned = machines.filter((machine) => ownerOf(machine) === metadata.uid);
    if (metadata.deletionTimestamp !== undefined) {
      const isOrphaning = metadata.finalizers?.includes('orphan');
      for (const { metadata: machine } of owned) {
        if (isOrphaning) {
          await this.patch('machine', machine.name, { metadata: { ownerReferences: null } });
        } else if (!machine.deletionTimestamp) await this.delete('machine', machine.name);
      }
      if (isOrphaning || owned.length === 0) await this.#release('set', { metadata });
      return;
    }
    for (const machine of machines.filter((one) => ownerOf(one) === undefined)) {
      if (machine.metadata.labels?.[hashLabel] !== labels[hashLabel]) continue;
      await this.patch('machine', machine.metadata.name, {
        metadata: { ownerReferences: [owner] },
      });
      owned.push(machine);
    }
    const active = owned.filter((machine) => machine.metadata.deletionTimestamp === undefined);
    const { replicas = 0 } = spec;
    for (let made = active.length; made < replicas; made += 1) {
      const taken = new Set(machines.map((machine) => machine.metadata.name));
      const free = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => `${metadata.name}-m${index}`);
      const name = free.find((one) => !taken.has(one)) ?? '';
      const created = await this.api.create<Machine>(pathOf('machine', namespace), {
        apiVersion: 'machine.sapcloud.io/v1alpha1',
        kind: 'Machine',
        metadata: {
          name,
          namespace,
          labels,
          finalizers: [finalizers.machine],
          ownerReferences: [owner],
        },
        spec: spec.template?.spec,
      });
      machines.push(created);
      this.made.push(name);
    }
    const marked = active.toSorted((a, b) => markOf(b).localeCompare(markOf(a)));
    for (const machine of marked.slice(0, Math.max(0, active.length - replicas))) {
      await this.delete('machine', machine.metadata.name);
    }
  }

  async #live(machine: Machine): Promise<void> {
    const { name, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp !== undefined) return await this.#release('machine', machine);
    if (machine.spec.providerID === undefined) {
      await this.patch('machine', name, { spec: { providerID: `virtual:///${name}` } });
      this.api.put({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name },
        status: {
          nodeInfo: { kubeletVersion: 'v1.34.2' },
          addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        },
      });
    }
    await this.#patchUnlessSame('machine', machine, {
      status: { currentStatus: { phase: 'Running' }, nodeRef: { kind: 'Node', name } },
    });
  }

  async #release(kind: WrittenKind, { metadata }: Pick<KubeObject, 'metadata'>): Promise<void> {
    if (metadata.deletionTimestamp === undefined) return;
    await this.patch(kind, metadata.name, { metadata: { finalizers: null } });
  }

  async #patchUnlessSame(kind: WrittenKind, present: KubeObject, body: object): Promise<void> {
    const isSame = contains(present, body);
    const path = pathOf(kind, namespace, present.metadata.name);
    if (!isSame) await this.api.patch('status' in body ? `${path}/status` : path, 'merge', body);
  }
}

/** As the garbage collector does, before any pass reads: the deletion does not show it any more. */
export async function letGo(world: PoolWorld, kind: 'theirSet' | 'theirMachine'): Promise<void> {
  for (const name of await world.names(kind)) {
    await world.patch(kind, name, { metadata: { ownerReferences: null } });
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
  return (await world.all('theirMachine')).map(({ spec }) => spec.providerID).toSorted();
}

/** As machine-controller leaves a pool of two machines, with an old set. */
export function anOldPool({ isTakenOver = false } = {}): object[] {
  const deployment = Object(
    aTheirDeployment({
      metadata: {
        uid: 'uid-of-theirs',
        ...(isTakenOver && { annotations: { [front.takeOver]: 'true' } }),
      },
    }),
  );
  const old = aTheirTemplate({ caPublicKey: 'old' });
  return [
    deployment,
    ...anOldSet('old', { replicas: 0, template: old, revision: '1' }),
    ...anOldSet('new', { replicas: 2, template: aTheirTemplate(), revision: '2' }),
  ];
}

function anOldSet(
  hash: string,
  {
    replicas,
    template,
    revision,
  }: { replicas: number; template: KubermaticMachineTemplate; revision: string },
): object[] {
  const name = `${pool}-${hash}`;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const apiVersion = kubermaticApiVersion;
  const owner = (kind: string, owning: string, uid: string) => ({
    ownerReferences: [{ apiVersion, kind, name: owning, uid, controller: true }],
  });
  const set = {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      labels,
      annotations: { 'machinedeployment.clusters.k8s.io/revision': revision },
      ...owner('MachineDeployment', pool, 'uid-of-theirs'),
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels } },
    },
  };
  const machines = Array.from({ length: replicas }, (_, index) => {
    const machine = `${name}-${index}`;
    return {
      apiVersion,
      kind: 'Machine',
      metadata: {
        name: machine,
        namespace,
        labels,
        finalizers: ['machine-delete-finalizer', 'machine-node-delete-finalizer'],
        ...owner('MachineSet', name, `uid-of-${name}`),
      },
      spec: {
        ...template.spec,
        metadata: { name: machine },
        providerID: `virtual:///${machine}`,
      },
      status: { nodeRef: { kind: 'Node', name: machine } },
    };
  });
  const nodes = machines.map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: metadata.name },
    status: { nodeInfo: { kubeletVersion: 'v1.34.2' } },
  }));
  return [set, ...machines, ...nodes];
}

function contains(present: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return present === part;
  return Object.entries(part).every(([key, value]) => contains(Object(present)[key], value));
}

function pick({ name, uid }: KubeObject['metadata']) {
  return { apiVersion: 'machine.sapcloud.io/v1alpha1', name, uid };
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

function markOf({ metadata }: Machine): string {
  return metadata.annotations?.['machine.sapcloud.io/delete-machine'] ?? '';
}
