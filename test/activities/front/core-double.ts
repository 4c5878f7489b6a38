/** In the place of the core and of the garbage collector: the least that they do. */
import { pathOf } from '../../../activities/front/paths.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { annotations, apiVersion, finalizers, labels } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { isDeleting, isOrphaning } from '../../../workflows/plan/front/facts.ts';
import { isSameTemplate } from '../../../workflows/plan/front/names.ts';
import type { WrittenKind } from '../../../workflows/plan/front/writes.ts';
import type { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { templateHash } from '../../../workflows/values/names.ts';

export class CoreDouble {
  /** Names of Machines that it made. */
  readonly made: string[] = [];
  readonly #api: InMemoryClient;
  readonly #namespace: string;

  constructor(api: InMemoryClient, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  async act(): Promise<void> {
    for (const deployment of await this.#all<MachineDeployment>('deployment')) {
      await (isDeleting(deployment)
        ? this.#end('deployment', deployment, 'set')
        : this.#rollOut(deployment));
    }
    for (const set of await this.#all<MachineSet>('set')) {
      await (isDeleting(set) ? this.#end('set', set, 'machine') : this.#scale(set));
    }
    for (const machine of await this.#all<Machine>('machine')) await this.#join(machine);
    for (const kind of ['machine', 'class', 'secret', 'configMap'] as const) {
      for (const object of await this.#all<KubeObject>(kind)) {
        if (isDeleting(object)) await this.#patch(kind, object, released);
      }
    }
  }

  /** Of an owner that is being deleted: its dependents go first, or are let go. */
  async #end(kind: WrittenKind, owner: KubeObject, dependents: 'set' | 'machine'): Promise<void> {
    const owned = (await this.#all<KubeObject>(dependents)).filter((one) => isOf(one, owner));
    for (const one of owned) {
      if (isOrphaning(owner)) await this.#patch(dependents, one, unowned);
      else if (!isDeleting(one)) await this.#api.delete(this.#path(dependents, one.metadata.name));
    }
    if (isOrphaning(owner) || owned.length === 0) await this.#patch(kind, owner, released);
  }

  async #rollOut(deployment: MachineDeployment): Promise<void> {
    const { metadata, spec } = deployment;
    const sets = (await this.#all<MachineSet>('set')).filter(
      (set) => isOf(set, deployment) || ownerOf(set) === undefined,
    );
    const adopted = { metadata: { ownerReferences: [referenceTo(deployment)] } };
    for (const set of sets) if (!isOf(set, deployment)) await this.#patch('set', set, adopted);
    const present = sets.find((set) =>
      isSameTemplate(Object(set.spec.template), Object(spec.template)),
    );
    const set = present ?? (await this.#makeSet(deployment, sets.length + 1));
    for (const old of sets) {
      const replicas = old === set ? spec.replicas : 0;
      if (old.spec.replicas !== replicas) await this.#patch('set', old, { spec: { replicas } });
    }
    const revision = set.metadata.annotations?.[annotations.revision] ?? '';
    const notes = { [annotations.revision]: revision };
    await this.#patchUnlessSame('deployment', deployment, {
      metadata: { finalizers: [finalizers.machine], annotations: notes },
    });
    const machines = await this.#all<Machine>('machine');
    await this.#patchUnlessSame('deployment', deployment, {
      status: {
        replicas: machines.length,
        readyReplicas: machines.filter((machine) => machine.spec.providerID).length,
        observedGeneration: metadata.generation,
      },
    });
  }

  async #makeSet(deployment: MachineDeployment, revision: number): Promise<MachineSet> {
    const { metadata, spec } = deployment;
    const hash = templateHash(spec.template);
    const own = { ...spec.template.metadata?.labels, [labels.templateHash]: hash };
    return await this.#api.create<MachineSet>(this.#path('set'), {
      apiVersion,
      kind: 'MachineSet',
      metadata: {
        name: `${metadata.name}-${hash}`,
        namespace: metadata.namespace,
        labels: own,
        finalizers: [finalizers.machine],
        annotations: { [annotations.revision]: String(revision) },
        ownerReferences: [referenceTo(deployment)],
      },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: own },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels: own } },
      },
    });
  }

  async #scale(set: MachineSet): Promise<void> {
    const all = await this.#all<Machine>('machine');
    const hash = set.spec.template?.metadata?.labels?.[labels.templateHash];
    const owned = all.filter(
      (one) =>
        isOf(one, set) ||
        (ownerOf(one) === undefined && one.metadata.labels?.[labels.templateHash] === hash),
    );
    const adopted = { metadata: { ownerReferences: [referenceTo(set)] } };
    for (const one of owned) if (!isOf(one, set)) await this.#patch('machine', one, adopted);
    const active = owned.filter((one) => !isDeleting(one));
    const { replicas = 0 } = set.spec;
    const taken = new Set(all.map(({ metadata }) => metadata.name));
    const names = Array.from({ length: 20 }, (_, index) => `${set.metadata.name}-m${index}`);
    const free = names.filter((name) => !taken.has(name));
    const missing = Math.max(0, replicas - active.length);
    for (const name of free.slice(0, missing)) await this.#makeMachine(set, name);
    const first = active.toSorted((a, b) => markOf(b).localeCompare(markOf(a)));
    for (const { metadata } of first.slice(0, Math.max(0, active.length - replicas))) {
      await this.#api.delete(this.#path('machine', metadata.name));
    }
  }

  async #makeMachine(set: MachineSet, name: string): Promise<void> {
    this.made.push(name);
    await this.#api.create(this.#path('machine'), {
      apiVersion,
      kind: 'Machine',
      metadata: {
        name,
        namespace: set.metadata.namespace,
        labels: set.spec.template?.metadata?.labels,
        finalizers: [finalizers.machine],
        ownerReferences: [referenceTo(set)],
      },
      spec: set.spec.template?.spec,
    });
  }

  async #join(machine: Machine): Promise<void> {
    const { name } = machine.metadata;
    if (isDeleting(machine)) return;
    if (machine.spec.providerID === undefined) {
      await this.#patch('machine', machine, { spec: { providerID: `virtual:///${name}` } });
      const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
      const status = { nodeInfo: { kubeletVersion: 'v1.34.2' }, addresses };
      this.#api.put({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status });
    }
    await this.#patchUnlessSame('machine', machine, {
      status: { currentStatus: { phase: 'Running' }, nodeRef: { kind: 'Node', name } },
    });
  }

  async #all<T>(kind: WrittenKind): Promise<T[]> {
    return (await this.#api.list<T>(this.#path(kind))).items;
  }

  async #patch(kind: WrittenKind, { metadata }: KubeObject, body: object): Promise<void> {
    const path = this.#path(kind, metadata.name);
    await this.#api.patch('status' in body ? `${path}/status` : path, 'merge', body);
  }

  async #patchUnlessSame(kind: WrittenKind, present: KubeObject, body: object): Promise<void> {
    if (!contains(present, body)) await this.#patch(kind, present, body);
  }

  #path(kind: WrittenKind, name?: string): string {
    return pathOf(kind, this.#namespace, name);
  }
}

const released = { metadata: { finalizers: null } };
const unowned = { metadata: { ownerReferences: null } };

function contains(present: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return present === part;
  return Object.entries(part).every(([key, value]) => contains(Object(present)[key], value));
}

function referenceTo({ kind, metadata: { name, uid } }: KubeObject) {
  return { apiVersion, kind, name, uid, controller: true };
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

function isOf(object: KubeObject, owner: KubeObject): boolean {
  return ownerOf(object) === owner.metadata.uid;
}

function markOf({ metadata }: Machine): string {
  return metadata.annotations?.[annotations.deleteMachine] ?? '';
}
