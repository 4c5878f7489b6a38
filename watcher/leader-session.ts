/** One term as leader: from the first lists to the last signal. */
import type { AwaitedNodes } from './awaited-nodes.ts';
import { checkpointOf } from './cache/checkpoint.ts';
import type { Checkpoint } from './cache/checkpoint.ts';
import { ofTarget } from './doubt.ts';
import { dispatch } from './dispatch/dispatch.ts';
import { SignalQueue } from './queue/signal-queue.ts';
import type { SignalQueueOptions } from './queue/signal-queue.ts';
import type { DispatchContext } from './dispatch/context.ts';
import { startSources } from './cache/sources.ts';
import type { Source, SourceOptions } from './cache/sources.ts';
import { Store } from './cache/store.ts';
import type { WatchedChange } from './cache/store.ts';
import { miscountSignals, presentNodeSignals, vanishedNodeSignals } from './resync.ts';
import type { Signal } from './dispatch/signal.ts';
import type { Resource } from './cache/views.ts';
import type { SourceState, TermObserver, TermView } from './term.ts';

export interface LeaderSessionOptions
  extends
    Omit<SourceOptions, 'onChange' | 'onError' | 'onDoubt'>,
    Omit<SignalQueueOptions, 'onError' | 'observer'> {
  /** Ids of `control` and `target`. */
  cluster: string;
  targetCluster?: string | undefined;
  epoch: number;
  /** See `SourceOptions`. */
  onDoubt(reason: string): void;
  onWatchError(error: unknown, resource: Resource): void;
  onDeliveryError(error: unknown, signal: Signal): void;
  observer?: TermObserver | undefined;
  awaitedNodes?: AwaitedNodes | undefined;
}

export class LeaderSession {
  readonly #context: DispatchContext;
  readonly #store = new Store();
  readonly #queue: SignalQueue;
  readonly #sources: Map<Resource, Source>;
  readonly #observer: TermObserver | undefined;
  readonly #awaitedNodes: AwaitedNodes | undefined;
  /**
   * Changes that came before everything was listed: without the other objects they cannot be
   * evaluated.
   */
  #early: WatchedChange[] = [];
  /** Names of Machines that were signalled before the Nodes were listed. */
  readonly #signalledWithoutNodes = new Set<string>();
  #isControlSynced = false;
  #areNodesSynced = false;
  #isStopped = false;

  /** Starts to list and watch at once. */
  constructor(options: LeaderSessionOptions) {
    const { namespace, cluster, epoch } = options;
    this.#observer = options.observer;
    this.#awaitedNodes = options.awaitedNodes;
    this.#awaitedNodes?.begin(namespace);
    this.#context = { store: this.#store, namespace, cluster, epoch };
    this.#queue = new SignalQueue({ ...options, onError: options.onDeliveryError });
    this.#sources = startSources({
      ...options,
      onChange: (change) => this.#take(change),
      onError: options.onWatchError,
      onDoubt: (reason, resource) => {
        const isOfTarget = resource === 'nodes' && isTargetApart(options);
        options.onDoubt(isOfTarget ? ofTarget(reason) : reason);
      },
    });
    void this.#untilControlSynced();
    void this.#untilNodesSynced();
  }

  /** Objects of both clusters were listed, and what is new is on its way. */
  get isSynced(): boolean {
    return this.#isControlSynced && (this.#areNodesSynced || !this.#sources.has('nodes'));
  }

  /** Which resources it does not hear of; undefined when there is none. */
  whyNotReady(): string | undefined {
    const deaf = [...this.#sources].filter(([, { isSynced, isBroken }]) => !isSynced || isBroken);
    if (deaf.length > 0) return `lists or watches fail: ${deaf.map(([name]) => name).join(', ')}`;
    return this.isSynced ? undefined : 'lists objects';
  }

  /** State of the session for others. */
  view(): Pick<TermView, 'store' | 'signals' | 'backlog' | 'sources'> {
    const sources = [...this.#sources].filter(([, { isServed = true }]) => isServed);
    return {
      store: this.#isControlSynced ? this.#store : undefined,
      signals: this.#queue.counters,
      backlog: () => this.#queue.sizes,
      sources: new Map(sources.map(([resource, source]) => [resource, stateOf(source)])),
    };
  }

  /** Since when the cluster of the Nodes gives no answer, milliseconds since 1970. */
  get targetAwaySince(): number | undefined {
    return this.#sources.get('nodes')?.awaySince;
  }

  /** Undefined until all objects of the control cluster were listed. */
  get hasFinalizers(): boolean | undefined {
    return this.#isControlSynced ? this.#store.hasFinalizers() : undefined;
  }

  /** Undefined before the first lists are compared: until then the old one holds. */
  checkpoint(): Checkpoint | undefined {
    if (!this.isSynced) return undefined;
    return checkpointOf({
      seen: (resource) => this.#sources.get(resource)?.resourceVersion,
      oldestUndelivered: (resource) => this.#queue.oldestUndelivered(resource),
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#awaitedNodes?.stop(this.#context.namespace);
    this.#queue.close();
    await Promise.all([...this.#sources.values()].map((source) => source.stop()));
  }

  #take(change: WatchedChange): void {
    this.#store.apply(change);
    this.#observer?.changed(change, this.#store);
    if (!change.isNews) return;
    if (this.#isReadyFor(change.resource)) this.#enqueue(change);
    else this.#early.push(change);
  }

  /** A target cluster that is out of reach does not hold up what concerns the control cluster. */
  #isReadyFor(resource: Resource): boolean {
    return this.#isControlSynced && (resource !== 'nodes' || this.#areNodesSynced);
  }

  #enqueue(change: WatchedChange): void {
    if (change.resource === 'machines' && !this.#areNodesSynced) {
      this.#signalledWithoutNodes.add(change.object.name);
    }
    this.#sendAll(dispatch(change, this.#context));
  }

  #sendAll(signals: Signal[]): void {
    const { namespace } = this.#context;
    for (const signal of signals) {
      if (!this.#awaitedNodes?.takes(namespace, signal)) this.#queue.send(signal);
    }
  }

  async #untilControlSynced(): Promise<void> {
    const control = [...this.#sources].filter(([resource]) => resource !== 'nodes');
    await Promise.all(control.map(([, source]) => source.synced));
    if (this.#isStopped) return;
    this.#isControlSynced = true;
    this.#signalEarly();
    const version = this.#sources.get('machines')?.resourceVersion;
    if (version !== undefined) this.#sendAll(miscountSignals(this.#context, version));
  }

  async #untilNodesSynced(): Promise<void> {
    const nodes = this.#sources.get('nodes');
    const machines = this.#sources.get('machines');
    await Promise.all([nodes?.synced, machines?.synced]);
    const version = nodes?.resourceVersion;
    if (this.#isStopped || version === undefined) return;
    this.#areNodesSynced = true;
    this.#signalEarly();
    this.#sendAll(vanishedNodeSignals(this.#context, version));
    this.#sendAll(presentNodeSignals(this.#context, this.#signalledWithoutNodes));
    this.#signalledWithoutNodes.clear();
  }

  #signalEarly(): void {
    const early = this.#early;
    this.#early = [];
    for (const change of early) {
      if (this.#isReadyFor(change.resource)) this.#enqueue(change);
      else this.#early.push(change);
    }
  }
}

/** The Nodes join another cluster than that of the Machines. */
function isTargetApart({ control, target, cluster, targetCluster }: LeaderSessionOptions): boolean {
  return target !== control && targetCluster !== cluster;
}

function stateOf({ isSynced, isBroken, restarts, lastEventAgeSeconds }: Source): SourceState {
  return { isSynced: isSynced && !isBroken, restarts, lastEventAgeSeconds };
}
