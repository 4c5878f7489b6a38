/**
 * The namespaces of a process, each opened and closed alone: they come and go, and one that cannot
 * be served harms no other (docs/decisions/0044-fleet.md). One namespace is a fleet of one, but for
 * this: a process that has nothing else to do ends when that one can never be served.
 */
import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import { orAborted } from '../../activities/system/or-aborted.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import type { Config, NamespaceSelection } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import type { Shutdown } from '../process/shutdown.ts';
import { ClaimRefusal } from '../temporal/claims.ts';
import type { Attempt } from './served-namespace.ts';
import { ServedNamespace } from './served-namespace.ts';
import { watchTargetSecrets } from './target-secrets.ts';
import { Reflector } from '../../kube/cache/reflector.ts';

export interface FleetOptions {
  config: Pick<Config, 'namespaces' | 'target'>;
  /** Cluster with the Machines. */
  control: KubeClient;
  log: Logger;
  registry: Registry;
  shutdown: Pick<Shutdown, 'add' | 'begin' | 'signal'>;
  /** Resolves when the namespace is served, until the scope of the attempt ends. */
  serve(attempt: Attempt): Promise<void>;
  /** A namespace of a fleet cannot be served, for this reason; undefined: it is served. */
  onReason?(namespace: string, reason: string | undefined): void;
}

/** As a process waits that serves one namespace alone, and one of many. */
const waitMs = {
  alone: { first: 250, max: 2_000 },
  fleet: { first: 500, max: 60_000 },
};

export function isFleet({ namespaces }: { namespaces: NamespaceSelection }): boolean {
  return namespaces.kind !== 'one';
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #isFleet: boolean;
  readonly #served = new Map<string, ServedNamespace>();
  /** Of those that are gone: one that comes again waits for its end. */
  readonly #retired = new Map<string, Promise<void>>();
  /** The ones that wait so. */
  readonly #back = new Set<string>();
  readonly #metrics: FleetMetrics;
  readonly #namespaces: Namespaces;
  readonly #failed = Promise.withResolvers<never>();
  /** Reason that was heard last, and keeps it from being settled. */
  #obstacle: string | undefined;
  #isClosed = false;

  /** Begins at once. */
  constructor(options: FleetOptions) {
    this.#options = options;
    this.#isFleet = isFleet(options.config);
    this.#metrics = registerFleetMetrics(options.registry);
    this.#failed.promise.catch(() => undefined);
    options.shutdown.add('namespaces', () => this.#close());
    this.#namespaces = watchNamespaces({
      selection: options.config.namespaces,
      client: options.control,
      onPresent: (namespace) => this.#begin(namespace),
      onGone: (namespace) => this.#end(namespace),
      onError: (err) => {
        options.log.warn({ err }, 'the Namespaces cannot be read');
        this.#obstacle = `the Namespaces cannot be read: ${reasonOf(err)}`;
      },
    });
  }

  /**
   * Fulfilled when each namespace that there is now is served, or is known not to be; the one of
   * `--namespace` alone is waited for. Rejects when that can never be.
   */
  async settled(): Promise<void> {
    const { signal } = this.#options.shutdown;
    await orAborted(Promise.race([this.#settled(), this.#failed.promise]), signal);
    signal.throwIfAborted();
    this.#failed.promise.catch((err: unknown) => this.#endProcess(err));
  }

  /** Why it is not settled, as far as it is known. */
  whyNotSettled(): string | undefined {
    return this.#obstacle;
  }

  /** Why it works for none of its namespaces; undefined: it works for some, or has none. */
  fault(): string | undefined {
    const reasons = [...this.#served.values()].map(({ reason }) => reason);
    const isIdle = reasons.length === 0 || reasons.includes(undefined);
    return isIdle ? undefined : `no namespace is served: ${reasons[0]}`;
  }

  /** Undefined: it is served, or no namespace of this process. */
  whyNotServed(namespace: string): string | undefined {
    return this.#served.get(namespace)?.reason;
  }

  /** A namespace with this name may be about to become one of ours. */
  mayBeOurs(namespace: string): boolean {
    return this.#options.config.namespaces.kind === 'selected' || this.#served.has(namespace);
  }

  /** Its only namespace was served, and can never be again. */
  #endProcess(err: unknown): void {
    const { log, shutdown } = this.#options;
    log.fatal({ err }, 'the namespace can be served no more');
    shutdown.begin('the namespace can be served no more', 1);
  }

  async #settled(): Promise<void> {
    await this.#namespaces.synced;
    this.#obstacle = undefined;
    const all = [...this.#served.values()];
    await Promise.all(all.map((one) => (this.#isFleet ? one.settled : one.served)));
  }

  #begin(namespace: string): void {
    if (this.#isClosed || this.#served.has(namespace)) return;
    if (this.#retired.has(namespace)) return void this.#back.add(namespace);
    const { config, control, log, serve, shutdown } = this.#options;
    const { target } = config;
    const names = target !== 'none' && target.kind === 'secret' ? target : undefined;
    const isNamespaceDeleting = (): boolean => this.#namespaces.isDeleting(namespace);
    const served = new ServedNamespace({
      namespace,
      serve,
      stopping: shutdown.signal,
      watchSecrets: names
        ? (onChange) =>
            watchTargetSecrets({
              client: control,
              namespace,
              names,
              isNamespaceDeleting,
              onChange,
            })
        : undefined,
      waitMs: this.#isFleet ? waitMs.fleet : waitMs.alone,
      // Many lines name the namespace themselves, and no key may stand twice in a line.
      log: this.#isFleet ? log.child({ kube_namespace: namespace }) : log,
      onReason: (reason) => this.#note(namespace, reason),
      isFinal: (error) => !this.#isFleet && error instanceof ClaimRefusal,
    });
    this.#served.set(namespace, served);
    served.ended.catch(this.#failed.reject);
  }

  #end(namespace: string): void {
    this.#back.delete(namespace);
    const served = this.#served.get(namespace);
    if (!served) return;
    this.#options.log.info({ namespace }, 'the namespace is served no more');
    this.#served.delete(namespace);
    const ending = served.retire().finally(() => {
      this.#retired.delete(namespace);
      this.#metrics.remove(namespace);
      if (this.#back.delete(namespace)) this.#begin(namespace);
    });
    this.#retired.set(namespace, ending);
  }

  #note(namespace: string, reason: string | undefined): void {
    const { log, onReason, shutdown } = this.#options;
    if (shutdown.signal.aborted) return;
    this.#metrics.set(namespace, reason === undefined);
    this.#obstacle = reason && `namespace ${namespace} is not served: ${reason}`;
    if (reason === undefined) log.info({ namespace }, 'the namespace is served');
    else log.warn({ namespace, reason }, 'the namespace is not served; tried again');
    if (this.#isFleet) onReason?.(namespace, reason);
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await this.#namespaces.close();
    const ending = [...this.#served.values()].map((one) => one.retire());
    await Promise.all([...ending, ...this.#retired.values()]);
  }
}

/** Which namespaces are served, for Prometheus. */
interface FleetMetrics {
  set(namespace: string, isServed: boolean): void;
  remove(namespace: string): void;
}

export function registerFleetMetrics(registry: Registry): FleetMetrics {
  const served = new Gauge({
    name: 'millwright_namespace_served',
    help: '1 while this process serves the namespace, 0 while it cannot; the log says why.',
    labelNames: ['kube_namespace'],
    registers: [registry],
  });
  return {
    set: (namespace, isServed) => served.set({ kube_namespace: namespace }, isServed ? 1 : 0),
    remove: (namespace) => served.remove({ kube_namespace: namespace }),
  };
}

/** The namespaces that a process serves: those that are named, or those that have the labels. */
interface NamespacesOptions {
  selection: NamespaceSelection;
  /** Of the cluster with the Machines. */
  client: KubeClient;
  /** It is to be served from now on, also one that is being deleted: its Machines have to go. */
  onPresent(namespace: string): void;
  /** It is gone, or lost its labels. */
  onGone(namespace: string): void;
  /** Called for each failed read; it goes on by itself. */
  onError(error: unknown): void;
}

export interface Namespaces {
  /** Fulfilled when those that there are now were reported. */
  readonly synced: Promise<void>;
  /** False also where Namespaces are not read. */
  isDeleting(this: void, namespace: string): boolean;
  close(): Promise<void>;
}

/** Names that were given need no right to read Namespaces. */
export function watchNamespaces(options: NamespacesOptions): Namespaces {
  const { selection, onPresent } = options;
  switch (selection.kind) {
    case 'one':
      onPresent(selection.name);
      return fixed;
    case 'list':
      for (const name of selection.names) onPresent(name);
      return fixed;
    case 'selected':
      return watchSelected(selection.labels, options);
  }
}

const fixed: Namespaces = {
  synced: Promise.resolve(),
  isDeleting: () => false,
  close: async () => undefined,
};

function watchSelected(
  labels: string,
  { client, onPresent, onGone, onError }: NamespacesOptions,
): Namespaces {
  const reflector = new Reflector({
    client,
    path: '/api/v1/namespaces',
    query: { as: 'PartialObjectMetadata', ...(labels !== '' && { labelSelector: labels }) },
    transform: ({ metadata: { name, uid, resourceVersion, deletionTimestamp } }: KubeObject) => ({
      name,
      uid,
      resourceVersion,
      isDeleting: deletionTimestamp !== undefined,
    }),
    onChange({ type, object: { name } }) {
      if (type === 'live') onPresent(name);
      else onGone(name);
    },
    onError,
  });
  return {
    synced: reflector.synced,
    isDeleting: (namespace) => reflector.items.get(namespace)?.isDeleting ?? false,
    close: () => reflector.stop(),
  };
}
