/** The controllers of ReplicaSets, StatefulSets and DaemonSets, and the makers of other pods. */
import { namespaced } from '../../../kube/client/paths.ts';
import type { News } from './change-feed.ts';
import { Controller } from './controller.ts';
import type { ControllerParts } from './controller.ts';
import type { OtherOwners } from './garbage-collector.ts';
import { controllerOf, isDeleting, isFinished, isReady } from './objects.ts';
import type { NodeObject, PodObject } from './objects.ts';
import type { PodIndex } from './pod-index.ts';
import { budgetOf, podFinalizer, podOf, volumeObjectsOf } from './workload.ts';
import type { WorkloadKind, WorkloadOptions } from './workload.ts';
import { createObject, deleteObject, patchObject, readObject } from './writes.ts';

interface Known {
  uid: string;
  options: WorkloadOptions;
  kind: WorkloadKind;
  /** By path: as heard, and those that were made and not heard of yet. */
  pods: Map<string, PodObject | undefined>;
  isMade: boolean;
}

export interface WorkloadsOptions {
  index: PodIndex;
  isAlive(nodeName: string): boolean;
  /** The number of pods that a workload wants has changed. */
  onScale(namespace: string, labels: Record<string, string>): void;
}

const ownKinds = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet']);
/** Kubelets make mirror pods by themselves, and check whether they are there. Milliseconds. */
const mirrorMs = 10_000;

export class Workloads extends Controller implements OtherOwners {
  readonly #options: WorkloadsOptions;
  /** By namespace and name. */
  readonly #known = new Map<string, Known>();
  readonly #byUid = new Map<string, Known>();
  readonly #onGone: ((uid: string) => void)[] = [];

  constructor(parts: ControllerParts, options: WorkloadsOptions) {
    super('workloads', parts);
    this.#options = options;
  }

  start(): void {
    this.listen(['Pod', 'Node']);
  }

  /** Changes the number of replicas of one that is there. */
  add(options: WorkloadOptions): void {
    const key = keyOf(options);
    const present = this.#known.get(key);
    if (present) present.options = { ...present.options, replicas: options.replicas };
    else this.#begin(key, options);
    this.note(`${key}: ${options.replicas} replicas`);
    this.#options.onScale(options.namespace, { app: options.name });
    this.#seeTo(key);
  }

  /** Its pods and all that came with them go. */
  remove(name: Pick<WorkloadOptions, 'namespace' | 'name'>): void {
    const key = keyOf(name);
    const known = this.#known.get(key);
    if (!known) return;
    this.#known.delete(key);
    this.#byUid.delete(known.uid);
    this.note(`${key} is removed`);
    for (const hear of this.#onGone) hear(known.uid);
    this.enqueue(`tidy ${key} ${known.uid}`);
    this.#gone.set(known.uid, known);
  }

  get names(): string[] {
    return [...this.#known.keys()];
  }

  hasKind(kind: string): boolean {
    return ownKinds.has(kind);
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  onGone(hear: (uid: string) => void): void {
    this.#onGone.push(hear);
  }

  /** How many pods a controller wants; a text says why that is not known. */
  scaleOf({ kind, name, uid }: { kind: string; name: string; uid: string }): number | string {
    const known = this.#byUid.get(uid);
    if (kind === 'DaemonSet' || kind === 'Node') {
      return `${kind.toLowerCase()}s does not implement the scale subresource`;
    }
    return known ? known.options.replicas : `found no controllers for ${kind} ${name}`;
  }

  readonly #gone = new Map<string, Known>();

  #begin(key: string, options: WorkloadOptions): void {
    const { kind = 'ReplicaSet' } = options;
    const uid = this.chance.uuid();
    const known: Known = { uid, options, kind, pods: new Map(), isMade: false };
    this.#known.set(key, known);
    this.#byUid.set(uid, known);
    if (options.budget) this.enqueue(`budget ${key}`);
  }

  #seeTo(key: string): void {
    const known = this.#known.get(key);
    if (!known) return;
    if (isOnEachNode(known)) {
      for (const { metadata } of this.#options.index.nodes)
        this.enqueue(`node ${key} ${metadata.name}`);
    } else this.enqueue(`set ${key}`);
  }

  protected override hear(news: News): void {
    if (news.kind === 'Pod') this.#hearPod(news);
    else if (news.after && !news.before) this.#hearNode(news.after);
  }

  #hearNode({ metadata }: NodeObject): void {
    for (const [key, known] of this.#known) {
      if (isOnEachNode(known)) this.enqueue(`node ${key} ${metadata.name}`);
    }
  }

  #hearPod({ path, before, after }: News): void {
    const pod: PodObject | undefined = after ?? before;
    if (!pod) return;
    if (after && isDeleting(after)) this.#seeToFinalizer(path, after);
    const known = this.#ownerOf(pod);
    if (!known) return;
    if (after) known.pods.set(path, after);
    else known.pods.delete(path);
    const key = keyOf(known.options);
    const { name } = nodeOf(pod);
    if (!isOnEachNode(known)) this.enqueue(`set ${key}`);
    else if (!after) this.enqueue(`node ${key} ${name}`, known.kind === 'Mirror' ? mirrorMs : 0);
  }

  #ownerOf(pod: PodObject): Known | undefined {
    const { namespace = '', labels = {} } = pod.metadata;
    const controller = controllerOf(pod);
    if (controller && ownKinds.has(controller.kind)) return this.#byUid.get(controller.uid);
    const known = this.#known.get(keyOf({ namespace, name: labels['app'] ?? '' }));
    return known && (known.kind === 'Bare' || known.kind === 'Mirror') ? known : undefined;
  }

  #seeToFinalizer(path: string, { metadata }: PodObject): void {
    if (!metadata.finalizers?.includes(podFinalizer)) return;
    const app = keyOf({
      namespace: metadata.namespace ?? '',
      name: metadata.labels?.['app'] ?? '',
    });
    const { finalizerLateMs = 0 } = this.#known.get(app)?.options ?? {};
    this.enqueue(`release ${path}`, this.parts.weather.isClear ? 0 : finalizerLateMs);
  }

  protected override sync(key: string): void {
    const [what, of = '', more = ''] = key.split(' ');
    if (what === 'release') return this.#release(of);
    if (what === 'tidy') return this.#tidy(more);
    const known = this.#known.get(of);
    if (!known) return;
    if (what === 'budget') this.#makeBudget(known);
    else if (what === 'node') this.#keepOnNode(known, more);
    else if (known.kind === 'StatefulSet') this.#keepNamed(known);
    else this.#keepNumber(known);
  }

  #makeBudget({ options }: Known): void {
    createObject(this.#server, budgetsPath(options), budgetOf(options));
  }

  #release(path: string): void {
    const found = readObject(this.#server, path);
    if (!found || !isDeleting(found)) return;
    const { uid, finalizers = [] } = found.metadata;
    const left = finalizers.filter((finalizer) => finalizer !== podFinalizer);
    patchObject(this.#server, { path, uid }, { metadata: { finalizers: left } });
  }

  /** What has no owner the garbage collector does not delete. */
  #tidy(uid: string): void {
    const known = this.#gone.get(uid);
    if (!known) return;
    const { options, kind, pods } = known;
    this.#gone.delete(uid);
    if (options.budget) this.#deleteAt(`${budgetsPath(options)}/${options.name}`);
    for (const path of kind === 'Bare' || kind === 'Mirror' ? pods.keys() : [])
      this.#deleteAt(path);
    if (options.hasVolumes !== true) return;
    for (const path of pods.keys()) this.#deleteVolume(options, nameOf(path));
  }

  #deleteVolume(options: WorkloadOptions, pod: string): void {
    const { claim, volume } = volumeObjectsOf(options, pod);
    this.#deleteAt(namespaced('persistentvolumeclaims', options.namespace, claim.metadata?.name));
    this.#deleteAt(`/api/v1/persistentvolumes/${volume.metadata?.name}`);
  }

  #deleteAt(path: string): void {
    const found = readObject(this.#server, path);
    if (found) deleteObject(this.#server, { path, uid: found.metadata.uid });
  }

  /** As many as are wanted, whichever they are; a pod that is being deleted counts no more. */
  #keepNumber(known: Known): void {
    const { options, pods, kind } = known;
    const active = [...pods].filter(([, pod]) => !pod || isActive(pod));
    const missing = options.replicas - active.length;
    // Nobody puts back what is gone of those.
    if (kind === 'Bare' && known.isMade && missing > 0) return;
    for (let count = 0; count < missing; count += 1) this.#make(known, {});
    known.isMade = true;
    const surplus = active
      .filter(([, pod]) => pod !== undefined)
      .toSorted(([, a], [, b]) => Number(a && isReady(a)) - Number(b && isReady(b)));
    for (const [path, pod] of surplus.slice(0, Math.max(0, -missing))) {
      if (pod) deleteObject(this.#server, { path, uid: pod.metadata.uid });
    }
  }

  /** By ordinals: another one of a name comes when the one before it is gone. */
  #keepNamed(known: Known): void {
    const { options, pods } = known;
    const names = Array.from(
      { length: options.replicas },
      (_, ordinal) => `${options.name}-${ordinal}`,
    );
    for (const name of names) {
      if (pods.has(namespaced('pods', options.namespace, name))) continue;
      if (options.hasVolumes === true) this.#makeVolume(options, name);
      this.#make(known, { name });
    }
    for (const [path, pod] of pods) {
      if (!pod || isDeleting(pod)) continue;
      const isWanted = names.includes(pod.metadata.name) && !isFinished(pod);
      if (!isWanted) deleteObject(this.#server, { path, uid: pod.metadata.uid });
    }
  }

  #makeVolume(options: WorkloadOptions, pod: string): void {
    const { claim, volume } = volumeObjectsOf(options, pod);
    createObject(this.#server, '/api/v1/persistentvolumes', volume);
    createObject(this.#server, namespaced('persistentvolumeclaims', options.namespace), claim);
  }

  #keepOnNode(known: Known, nodeName: string): void {
    const { options, pods, kind } = known;
    const name = `${options.name}-${nodeName}`;
    const node = this.#options.index.node(nodeName);
    if (!node || pods.has(namespaced('pods', options.namespace, name))) return;
    if (kind === 'Mirror' && !this.#options.isAlive(nodeName)) {
      this.enqueue(`node ${keyOf(options)} ${nodeName}`, mirrorMs);
      return;
    }
    this.#make(known, { name, node: { name: nodeName, uid: node.metadata.uid } });
  }

  #make(
    known: Known,
    { name, node }: { name?: string; node?: { name: string; uid: string } },
  ): void {
    const { options, uid, pods } = known;
    const plan = {
      workload: options,
      uid,
      ...(name !== undefined && { name }),
      ...(node && { node }),
    };
    const { namespace } = options;
    const made = createObject(this.#server, namespaced('pods', namespace), podOf(plan));
    if (!made) return;
    const path = namespaced('pods', namespace, made.metadata.name);
    // Until it is heard of, so that a controller that hears late makes no second one.
    if (!pods.has(path)) pods.set(path, undefined);
  }

  get #server() {
    return this.parts.cluster.server;
  }
}

function keyOf({ namespace, name }: Pick<WorkloadOptions, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function budgetsPath({ namespace }: WorkloadOptions): string {
  return `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
}

function isOnEachNode({ kind }: Known): boolean {
  return kind === 'DaemonSet' || kind === 'Mirror';
}

function isActive(pod: PodObject): boolean {
  return !isDeleting(pod) && !isFinished(pod);
}

/** Where it runs, or is to run. */
function nodeOf({ spec }: PodObject): { name: string } {
  return { name: spec?.nodeName ?? spec?.nodeSelector?.['kubernetes.io/hostname'] ?? '' };
}
