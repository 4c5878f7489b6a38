/**
 * Where a scenario is played: on our controllers and an API server in memory, or on the real ones.
 * Objects are named as `ConfigMap/owner`.
 */
import type { KubeObject, OwnerReference } from '../../../../kube/client/client.ts';
import type { Body } from '../../../support/api-server/creation.ts';
import type { DeleteOptions } from '../../../support/api-server/deletion.ts';

const kinds = {
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps' },
  Secret: { apiVersion: 'v1', plural: 'secrets' },
  Pod: { apiVersion: 'v1', plural: 'pods' },
  Node: { apiVersion: 'v1', plural: 'nodes' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets' },
} as const;

type Kind = keyof typeof kinds;
export type Ref = `${Kind}/${string}`;

/** Of an eviction: 201 where it was granted. */
export interface Answer {
  code: number;
  message: string;
  causes: { reason?: string; message?: string }[];
}

/** `null`: it is gone; otherwise it has at least these fields. */
export type Sight = Partial<Record<Ref, object | null>>;

export interface WorkloadWanted {
  name: string;
  kind?: 'DaemonSet';
  replicas: number;
}

export abstract class Stage {
  /** Names of Nodes begin with it, where others have Nodes too. */
  protected abstract readonly prefix: string;
  abstract readonly namespace: string;

  protected abstract createAt(path: string, body: Body): Promise<void>;
  protected abstract patchAt(path: string, body: object): Promise<void>;
  protected abstract deleteAt(path: string, options: DeleteOptions): Promise<void>;
  protected abstract evictAt(path: string, name: string): Promise<Answer>;
  /** Undefined where there is none. */
  protected abstract readAt(path: string): Promise<KubeObject | undefined>;
  protected abstract listAt(path: string): Promise<KubeObject[]>;
  /** Until this no longer throws. Fails when it takes too long. */
  protected abstract until(what: string, check: () => Promise<void>): Promise<void>;

  /** A Node whose kubelet lives; resolves when it is ready. */
  abstract startNode(name: string): Promise<void>;
  /** Its kubelet says so. */
  abstract setReady(name: string, isReady: boolean): Promise<void>;
  /** Its kubelet is dead; resolves at once. */
  abstract silence(name: string): Promise<void>;
  /** Pods with the label `app`, from a controller. */
  abstract startWorkload(wanted: WorkloadWanted): Promise<void>;
  /** A pod that runs turns unready, and stays so. */
  abstract spoil(pod: Ref): Promise<void>;

  async create(ref: Ref, { metadata, ...body }: Partial<Body> = {}): Promise<void> {
    const [kind, name] = this.#partsOf(ref);
    const { apiVersion } = kinds[kind];
    await this.createAt(this.#collection(kind), {
      apiVersion,
      kind,
      ...body,
      metadata: { ...metadata, name },
    });
  }

  /** A merge patch. */
  async patch(ref: Ref, body: object): Promise<void> {
    await this.patchAt(this.pathOf(ref), body);
  }

  async delete(ref: Ref, options: DeleteOptions = {}): Promise<void> {
    await this.deleteAt(this.pathOf(ref), options);
  }

  async evict(ref: Ref): Promise<Answer> {
    const [, name] = this.#partsOf(ref);
    return await this.evictAt(this.pathOf(ref), name);
  }

  /** A reference to an object that is there. */
  async owner(ref: Ref, more: Partial<OwnerReference> = {}): Promise<OwnerReference> {
    const [kind, name] = this.#partsOf(ref);
    const found = await this.readAt(this.pathOf(ref));
    const uid = found?.metadata.uid ?? '';
    return { apiVersion: kinds[kind].apiVersion, kind, name, uid, ...more };
  }

  /** Sooner or later. */
  async sees(sight: Sight): Promise<void> {
    await this.until(`${Object.keys(sight).join(', ')} as expected`, async () => {
      for (const [ref, wanted] of Object.entries(sight)) await this.#check(ref, wanted);
    });
  }

  async #check(ref: string, wanted: object | null = null): Promise<void> {
    const found = await this.readAt(this.pathOf(ref));
    if (wanted === null) expect({ [ref]: found }).toEqual({});
    else expect({ [ref]: found }).toMatchObject({ [ref]: wanted });
  }

  /** Names of all ready pods of an app, when there are so many. */
  async readyPods(app: string, count: number): Promise<Ref[]> {
    let refs: Ref[] = [];
    await this.until(`${count} ready pods of ${app}`, async () => {
      const pods = await this.listAt(this.#collection('Pod'));
      const ready = pods.filter((pod) => pod.metadata.labels?.['app'] === app && isReadyPod(pod));
      refs = ready.map(({ metadata }): Ref => `Pod/${metadata.name}`);
      expect(refs).toHaveLength(count);
    });
    return refs;
  }

  /** Taints of a Node, e.g. `node.kubernetes.io/not-ready:NoSchedule`, are these in the end. */
  async seesTaints(name: string, wanted: readonly string[]): Promise<void> {
    await this.until(`the taints of ${name}`, async () => {
      const found: NodeSeen | undefined = await this.readAt(this.pathOf(`Node/${name}`));
      const taints = (found?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
      expect(taints.toSorted()).toEqual(wanted);
    });
  }

  /**
   * The garbage collector has seen to all that was asked of it before: it has, when it has seen to
   * something that was asked of it later.
   */
  async fence(): Promise<void> {
    await this.create('ConfigMap/fence');
    const ownerReferences = [await this.owner('ConfigMap/fence')];
    await this.create('ConfigMap/fenced', { metadata: { ownerReferences } });
    await this.delete('ConfigMap/fence', { propagationPolicy: 'Background' });
    await this.sees({ 'ConfigMap/fence': null, 'ConfigMap/fenced': null });
  }

  protected pathOf(ref: string): string {
    const [kind, name] = this.#partsOf(ref);
    return `${this.#collection(kind)}/${name}`;
  }

  nodeName(name: string): string {
    return `${this.prefix}${name}`;
  }

  #collection(kind: Kind): string {
    const { apiVersion, plural } = kinds[kind];
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    return kind === 'Node' ? `${root}/${plural}` : `${root}/namespaces/${this.namespace}/${plural}`;
  }

  #partsOf(ref: string): [Kind, string] {
    const [kind = '', name = ''] = ref.split('/');
    if (!isKind(kind))
      throw new RangeError(`kind "${kind}": must be one of ${Object.keys(kinds).join(', ')}`);
    return [kind, kind === 'Node' ? this.nodeName(name) : name];
  }
}

function isKind(kind: string): kind is Kind {
  return Object.hasOwn(kinds, kind);
}

interface PodSeen extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] };
}

interface NodeSeen extends KubeObject {
  spec?: { taints?: { key: string; effect: string }[] };
}

function isReadyPod({ metadata, status }: PodSeen): boolean {
  const isReady = status?.conditions?.some(
    ({ type, status: is }) => type === 'Ready' && is === 'True',
  );
  return metadata.deletionTimestamp === undefined && isReady === true;
}
