/** One term of the front that leads a namespace: from the first lists to the last signal. */
import type { Logger } from 'pino';
import type { KubeClient, KubeObject, Query } from '../../kube/client/client.ts';
import type { KubermaticKind } from '../../kube/client/paths.ts';
import { customResource, kubermatic, kubermaticApi, node } from '../../kube/client/paths.ts';
import type { CachedObject, Change } from '../../kube/cache/object-cache.ts';
import { OptionalReflector } from '../../kube/cache/optional-reflector.ts';
import { Reflector } from '../../kube/cache/reflector.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { isServed, changedPools, orphanIn } from './dispatch.ts';
import { Pending } from './pending.ts';
import type { FrontChange, FrontViews, TheirView } from './views.ts';
import {
  viewOfNode,
  viewOfOurDeployment,
  viewOfOurMachine,
  viewOfOurs,
  viewOfTheirs,
} from './views.ts';

export interface SignalledNews {
  /** A run is begun where there is none. */
  mayStart: boolean;
  /** See `PoolNews`. */
  ofNodes: boolean;
}

export interface FrontSessionOptions {
  control: KubeClient;
  /** Undefined: there are no Nodes. */
  target: KubeClient | undefined;
  namespace: string;
  signal(pool: string, news: SignalledNews): Promise<void>;
  log: Logger;
}

const metadataOnly: Query = { as: 'PartialObjectMetadata' };

type OurView = FrontViews['ourDeployments' | 'ourSets' | 'ourMachines' | 'nodes'];

export class FrontSession {
  readonly #options: FrontSessionOptions;
  readonly #theirDeployments: OptionalReflector<KubeObject, TheirView>;
  readonly #theirSets: OptionalReflector<KubeObject, TheirView>;
  readonly #theirMachines: OptionalReflector<KubeObject, TheirView>;
  readonly #ourDeployments: Reflector<KubeObject, FrontViews['ourDeployments']>;
  readonly #ourSets: Reflector<KubeObject, FrontViews['ourSets']>;
  readonly #ourMachines: Reflector<KubeObject, FrontViews['ourMachines']>;
  readonly #nodes: Reflector<KubeObject, FrontViews['nodes']> | undefined;
  readonly #lostSets = new Map<string, string>();
  readonly #pending: Pending;
  /** UIDs of objects that have the Event. */
  readonly #reported = new Set<string>();

  /** Begins at once. */
  constructor(options: FrontSessionOptions) {
    this.#options = options;
    const { control, target, namespace, log, signal } = options;
    this.#pending = new Pending({
      send: (pool, ofNodes) => signal(pool, { mayStart: isServed(pool, this.#store()), ofNodes }),
      onError: (err, pool) => log.warn({ err, pool }, 'a signal does not arrive; it is sent again'),
    });
    this.#theirDeployments = this.#theirs('theirDeployments', 'machinedeployments');
    this.#theirSets = this.#theirs('theirSets', 'machinesets');
    this.#theirMachines = this.#theirs('theirMachines', 'machines');
    const ours = (plural: KubermaticKind) => ({
      client: control,
      path: customResource(plural, namespace),
    });
    this.#ourDeployments = this.#watch(ours('machinedeployments'), viewOfOurDeployment, (change) =>
      this.#take({ resource: 'ourDeployments', ...change }),
    );
    this.#ourSets = this.#watch(ours('machinesets'), viewOfOurs, (change) =>
      this.#take({ resource: 'ourSets', ...change }),
    );
    this.#ourMachines = this.#watch(ours('machines'), viewOfOurMachine, (change) =>
      this.#take({ resource: 'ourMachines', ...change }),
    );
    this.#nodes =
      target &&
      this.#watch({ client: target, path: node() }, viewOfNode, (change) =>
        this.#take({ resource: 'nodes', ...change }),
      );
  }

  /** Undefined: it hears of everything. */
  whyNotReady(): string | undefined {
    const broken = this.#sources().some((source) => !source.isSynced || source.isBroken);
    if (broken) return 'not all objects are known: the log says which cannot be listed or watched';
    const theirs = [this.#theirDeployments, this.#theirSets, this.#theirMachines];
    // That the CRDs have come is seen up to two minutes later.
    const areThere = theirs.every((source) => source.isServed);
    return areThere ? undefined : 'the CRDs of cluster.k8s.io are awaited';
  }

  /** Of the MachineDeployment that has waited longest for its signal; 0: none waits. */
  oldestPendingSeconds(): number {
    return this.#pending.oldestSeconds();
  }

  /** True while anything of theirs is served; undefined: that is not known. */
  hasMirrors(): boolean | undefined {
    const { isServed: isThere, isSynced, isBroken, items } = this.#theirDeployments;
    if (!isThere || !isSynced || isBroken) return undefined;
    return [...items.values()].some(({ isMirror }) => isMirror);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sources().map((source) => source.stop()));
    await this.#pending.stop();
  }

  #sources() {
    return [
      this.#theirDeployments,
      this.#theirSets,
      this.#theirMachines,
      this.#ourDeployments,
      this.#ourSets,
      this.#ourMachines,
      ...(this.#nodes ? [this.#nodes] : []),
    ];
  }

  #theirs(
    resource: 'theirDeployments' | 'theirSets' | 'theirMachines',
    plural: KubermaticKind,
  ): OptionalReflector<KubeObject, TheirView> {
    const { control: client, namespace, log } = this.#options;
    return new OptionalReflector({
      client,
      path: kubermatic(plural, namespace),
      resource: { api: kubermaticApi, plural },
      transform: viewOfTheirs,
      onChange: (change) => this.#take({ resource, ...change }),
      onError: (err) => log.warn({ err, resource }, 'a watch broke; it goes on'),
    });
  }

  #watch<View extends OurView & CachedObject>(
    { client, path }: { client: KubeClient; path: string },
    transform: (object: KubeObject) => View,
    onChange: (change: Change<View>) => void,
  ): Reflector<KubeObject, View> {
    const onError = (err: unknown): void =>
      this.#options.log.warn({ err, path }, 'a watch broke; it goes on');
    return new Reflector({ client, path, query: metadataOnly, transform, onChange, onError });
  }

  #store() {
    return {
      theirDeployments: this.#theirDeployments.items,
      theirSets: this.#theirSets.items,
      theirMachines: this.#theirMachines.items,
      ourDeployments: this.#ourDeployments.items,
      ourSets: this.#ourSets.items,
      ourMachines: this.#ourMachines.items,
      lostSets: this.#lostSets,
    };
  }

  #take(change: FrontChange): void {
    const store = this.#store();
    this.#noteSet(change);
    const ofNodes = this.#skipsEviction(change);
    for (const pool of changedPools(change, store)) this.#pending.add(pool, ofNodes);
    for (const [set, pool] of this.#lostSets)
      if (!isServed(pool, store)) this.#lostSets.delete(set);
    const orphan = orphanIn(change, store);
    if (!orphan || this.#reported.has(orphan.uid)) return;
    this.#reported.add(orphan.uid);
    const { control, namespace } = this.#options;
    recordEvent(control, { ...orphan, namespace }, notServed);
  }

  /** A Node that is not to be drained, or is again: of Machines listed before, or of this one. */
  #skipsEviction(change: FrontChange): boolean {
    if (change.resource === 'nodes') {
      return change.object.skipsEviction || change.previous?.skipsEviction === true;
    }
    const nodeName = change.resource === 'ourMachines' ? change.object.node : undefined;
    return nodeName !== undefined && this.#nodes?.items.get(nodeName)?.skipsEviction === true;
  }

  /** Machines outlast their set, where a person removes its finalizer. */
  #noteSet({ resource, type, object }: FrontChange): void {
    if ((resource !== 'theirSets' && resource !== 'ourSets') || !('owner' in object)) return;
    if (type === 'live') this.#lostSets.delete(object.name);
    else if (object.owner !== undefined) this.#lostSets.set(object.name, object.owner);
  }
}

const notServed = {
  type: 'Warning',
  reason: 'NotServed',
  message:
    'Millwright serves only Machines and MachineSets of a MachineDeployment: make one, and delete this object',
  component: 'millwright-front',
} as const;
