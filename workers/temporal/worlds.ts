/** What the activities of each namespace act on, and which of them an activity is for. */
import { Context } from '@temporalio/activity';
import type { DriverQueueActivities } from '../../activities/gates.ts';
import type { NotServed, ServedPlaces } from '../../activities/place-interceptor.ts';
import type { DrainActivities } from '../../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import type { InstallActivities } from '../../workflows/contracts/safety-activities.ts';

/** One namespace that is served: its activities, with its clients, Lease, stop and drivers. */
export interface World {
  kube: KubeActivities;
  drain: DrainActivities;
  /** Of the provider's queues. */
  driver(provider: string): DriverQueueActivities;
  /** The same for a deletion that ends a drain: it may take less time. */
  inlineDriver(provider: string): DriverQueueActivities;
}

export interface WorldsOptions {
  /** Id of the control cluster. */
  cluster: string;
  /** The only one that this process serves; undefined: it serves a fleet. */
  only: string | undefined;
  /** Whether a namespace without a world is one of this process. */
  mayBeOurs(namespace: string): boolean;
  /** For people. */
  whyNotServed(namespace: string): string | undefined;
}

/** Its queue is that of the install. */
const ofInstall: keyof InstallActivities = 'checkNamespaces';

export class Worlds implements ServedPlaces {
  readonly cluster: string;
  readonly what: string;
  readonly #options: WorldsOptions;
  readonly #served = new Map<string, World>();
  readonly #running = new WeakMap<Context, World>();

  constructor(options: WorldsOptions) {
    this.#options = options;
    this.cluster = options.cluster;
    this.what = options.only === undefined ? 'other namespaces' : `namespace ${options.only}`;
  }

  add(namespace: string, world: World): void {
    this.#served.set(namespace, world);
  }

  remove(namespace: string): void {
    this.#served.delete(namespace);
  }

  /**
   * What is asked for without a namespace is for the only one, but for the activity of all of them.
   */
  take(
    context: Context,
    namespace: string | undefined = this.#options.only,
  ): 'served' | NotServed | undefined {
    if (context.info.activityType === ofInstall) return 'served';
    if (namespace === undefined) return undefined;
    const world = this.#served.get(namespace);
    if (!world) return this.#notServed(namespace);
    this.#running.set(context, world);
    return 'served';
  }

  /** Of the activity that is running. */
  current(): World {
    const world = this.#running.get(Context.current());
    if (!world) throw new Error('an activity that was taken for no namespace');
    return world;
  }

  #notServed(namespace: string): NotServed | undefined {
    const { mayBeOurs, whyNotServed } = this.#options;
    if (!mayBeOurs(namespace)) return undefined;
    return { why: whyNotServed(namespace) ?? 'this process does not know it as one of its own' };
  }
}
