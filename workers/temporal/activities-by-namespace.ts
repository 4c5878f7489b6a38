/** The activities of each namespace, and which of them one that runs is for. */
import { Context } from '@temporalio/activity';
import type { DriverQueueActivities } from '../../activities/gates.ts';
import type { NotServed, ServedPlaces } from '../../activities/place-interceptor.ts';
import type { DrainActivities } from '../../workflows/contracts/drain-activities.ts';
import type { KubeActivities } from '../../workflows/contracts/kube-activities.ts';
import type { InstallActivities } from '../../workflows/contracts/safety-activities.ts';

/** One namespace that is served: its activities, with its clients, Lease, stop and drivers. */
export interface NamespaceActivities {
  kube: KubeActivities;
  drain: DrainActivities;
  /** Of the provider's queues. */
  driver(provider: string): DriverQueueActivities;
  /** The same for a deletion that ends a drain: it may take less time. */
  inlineDriver(provider: string): DriverQueueActivities;
}

export interface ActivitiesOptions {
  /** Id of the control cluster. */
  cluster: string;
  /** The only one that this process serves; undefined: it serves a fleet. */
  only: string | undefined;
  /** Reports whether a namespace without activities is one of this process. */
  mayBeOurs(namespace: string): boolean;
  /** For people. */
  whyNotServed(namespace: string): string | undefined;
}

/** Its queue is that of the install. */
const ofInstall: keyof InstallActivities = 'checkNamespaces';

export class ActivitiesByNamespace implements ServedPlaces {
  readonly cluster: string;
  readonly what: string;
  readonly #options: ActivitiesOptions;
  readonly #served = new Map<string, NamespaceActivities>();
  readonly #running = new WeakMap<Context, NamespaceActivities>();

  constructor(options: ActivitiesOptions) {
    this.#options = options;
    this.cluster = options.cluster;
    this.what = options.only === undefined ? 'other namespaces' : `namespace ${options.only}`;
  }

  add(namespace: string, activities: NamespaceActivities): void {
    this.#served.set(namespace, activities);
  }

  remove(namespace: string): void {
    this.#served.delete(namespace);
  }

  /** A call without a namespace is for the only one. */
  take(
    context: Context,
    namespace: string | undefined = this.#options.only,
  ): 'served' | NotServed | undefined {
    if (context.info.activityType === ofInstall) return 'served';
    if (namespace === undefined) return undefined;
    const activities = this.#served.get(namespace);
    if (!activities) return this.#notServed(namespace);
    this.#running.set(context, activities);
    return 'served';
  }

  /** Of the activity that is running. */
  current(): NamespaceActivities {
    const activities = this.#running.get(Context.current());
    if (!activities) throw new Error('an activity that was taken for no namespace');
    return activities;
  }

  #notServed(namespace: string): NotServed | undefined {
    const { mayBeOurs, whyNotServed } = this.#options;
    if (!mayBeOurs(namespace)) return undefined;
    return { why: whyNotServed(namespace) ?? 'this process does not know it as one of its own' };
  }
}
