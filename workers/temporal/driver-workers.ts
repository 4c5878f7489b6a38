/**
 * The workers of the drivers: those of a provider start when the first of its MachineClasses is
 * seen, after its libraries are loaded. A driver that a flag names starts at once.
 */
import type { Driver } from '../../activities/drivers/driver.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { customResource } from '../../kube/client/paths.ts';
import { shutDown } from './shut-down.ts';
import type { TemporalWorker } from './worker-factory.ts';
import { Reflector } from '../../kube/cache/reflector.ts';

export type DriverWorker = TemporalWorker;

export interface DriverWorkersOptions {
  drivers: ReadonlyMap<string, Driver>;
  /** True where this driver waits for no MachineClass. */
  isAtOnce(provider: string): boolean;
  /** One for each kind of call; they do not run yet. */
  createWorkers(provider: string): Promise<readonly DriverWorker[]>;
  /** Its queues are polled. */
  onStart(provider: string): void;
}

interface ClassObject extends KubeObject {
  provider?: string;
}

export interface ProvidersOptions {
  /** Cluster with the Machines. */
  control: KubeClient;
  namespace: string;
  /** Called for each MachineClass, and each change of one. */
  onProvider(provider: string): void;
  /** Called for each failed read of the classes; it goes on by itself. */
  onError(error: unknown): void;
}

/** Which providers the MachineClasses of a namespace name, now and from now on. */
export function watchProviders({ control, namespace, onProvider, onError }: ProvidersOptions): {
  readonly synced: Promise<void>;
  stop(): Promise<void>;
} {
  return new Reflector({
    client: control,
    path: customResource('machineclasses', namespace),
    transform: ({ metadata: { name, uid, resourceVersion }, provider = '' }: ClassObject) => ({
      name,
      uid,
      resourceVersion,
      provider,
    }),
    onChange: ({ object: { provider } }) => onProvider(provider),
    onError,
  });
}

export class DriverWorkers {
  readonly #options: DriverWorkersOptions;
  readonly #started = new Map<string, Promise<readonly DriverWorker[]>>();
  readonly #runs: Promise<void>[] = [];
  /** Some driver waits for its first MachineClass, for which `serve` is to be called. */
  readonly waitsForClasses: boolean;
  readonly #failed = Promise.withResolvers<unknown>();
  #stopping: Promise<void> | undefined;

  constructor(options: DriverWorkersOptions) {
    this.#options = options;
    const providers = [...options.drivers.keys()];
    for (const provider of providers.filter(options.isAtOnce)) this.serve(provider);
    this.waitsForClasses = !providers.every(options.isAtOnce);
  }

  /** Resolves with the error when one of them cannot start, or ends unasked. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /**
   * Fulfilled when those are served that were asked for so far: nothing else runs yet that a
   * library could hold up while it loads.
   */
  async ready(): Promise<void> {
    await Promise.allSettled(this.#started.values());
  }

  /** Also in the middle of a start: a driver that is being loaded polls nothing afterwards. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const started = await Promise.allSettled(this.#started.values());
    for (const outcome of started) {
      if (outcome.status === 'fulfilled') shutDown(outcome.value);
    }
    await Promise.allSettled(this.#runs);
  }

  /** From now on, if this process has the driver. */
  serve(provider: string): void {
    const driver = this.#options.drivers.get(provider);
    if (!driver || this.#stopping || this.#started.has(provider)) return;
    const starting = this.#start(provider, driver);
    this.#started.set(provider, starting);
    starting.catch(this.#failed.resolve);
  }

  async #start(provider: string, driver: Driver): Promise<readonly DriverWorker[]> {
    await driver.prepare?.();
    if (this.#stopping) return [];
    const workers = await this.#options.createWorkers(provider);
    for (const worker of workers) {
      const run = worker.run();
      run.catch(this.#failed.resolve);
      this.#runs.push(run);
    }
    this.#options.onStart(provider);
    return workers;
  }
}
