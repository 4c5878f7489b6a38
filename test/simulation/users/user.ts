/** What an action of a user acts with: one install, and randomness of its own. */
import { customResource } from '../../../kube/client/paths.ts';
import type { Client } from '@temporalio/client';
import { interruptCluster } from '../disasters/lasting.ts';
import type { Chance } from '../engine/chance.ts';
import { SimulatedProcess } from '../engine/process.ts';
import type { Refusal } from '../world/hindrances.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Install, World } from '../world/world.ts';
import { Kubectl } from './kubectl.ts';
import type { Found } from './kubectl.ts';
import type { Kind, Repository } from './set-up.ts';
import type { Workloads } from './workloads.ts';

export interface UserParts {
  world: World;
  install: Install;
  repository: Repository;
  workloads: Workloads | undefined;
  /** Of all actions of this kind. */
  chance: Chance;
  /** Name of the kind of action. */
  action: string;
  /** See `among`. */
  only?: string | undefined;
}

/** An object, as it was when it was read. */
export interface Picked {
  path: string;
  name: string;
  object: Found;
}

export const secondMs = 1_000;
export const minuteMs = 60_000;

export class User {
  readonly install: Install;
  readonly repository: Repository;
  readonly workloads: Workloads | undefined;
  readonly chance: Chance;
  readonly control: Kubectl;
  readonly target: Kubectl;
  readonly #parts: UserParts;

  constructor(parts: UserParts) {
    const { world, install, repository, workloads, chance, action, only } = parts;
    const { simulation, weather } = world;
    this.install = install;
    this.repository = repository;
    this.workloads = workloads;
    this.chance = chance;
    this.control = new Kubectl({ simulation, weather, cluster: install.control, action, only });
    this.target = new Kubectl({ simulation, weather, cluster: install.target, action });
    this.#parts = parts;
  }

  /** The same user, to whom this object of the control cluster is the only one of its kind. */
  among(path: string): User {
    return new User({ ...this.#parts, only: path });
  }

  get isOver(): boolean {
    return this.#parts.world.weather.isClear;
  }

  /**
   * Fulfilled in the moment in which a process asks for an object of this collection, and has no
   * answer yet: with the path of that object, or undefined for a list, and where nothing is asked.
   */
  async untilAsked(
    { listeners = new Set() }: Cluster,
    { collection, patienceMs }: { collection: string; patienceMs: number },
  ): Promise<string | undefined> {
    const { simulation } = this.#parts.world;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const object = new RegExp(`^${collection}/[^/]+`);
    const hear = (path: string): void => {
      const [found] = object.exec(path) ?? [];
      // Else it would always be the first of several requests.
      const isOfCollection = found !== undefined || path === collection;
      if (isOfCollection && this.chance.happens(0.5)) resolve(found);
    };
    listeners.add(hear);
    const timer = simulation.after(patienceMs, () => resolve(undefined));
    try {
      return await promise;
    } finally {
      timer.cancel();
      listeners.delete(hear);
    }
  }

  get now(): number {
    return this.#parts.world.simulation.now;
  }

  get namespace(): string {
    return this.install.namespace;
  }

  /** RFC 3339, as objects have it. */
  timeIn(milliseconds: number): string {
    return new Date(this.now + milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  note(what: string): void {
    this.#parts.world.simulation.note('user', `${this.#parts.action}: ${what}`);
  }

  /** False when the weather has cleared in the meantime: then a user does nothing more. */
  async wait(leastMs: number, mostMs: number): Promise<boolean> {
    const { simulation, weather } = this.#parts.world;
    await simulation.sleep(this.chance.between(leastMs, mostMs));
    return !weather.isClear;
  }

  /** By a policy of the cluster, which also holds for users. */
  refuse(refusal: Omit<Refusal, 'cluster'>, cluster: 'control' | 'target' = 'control'): void {
    const { method, pathPrefix, verdict, untilMs } = refusal;
    const seconds = Math.round((untilMs - this.now) / secondMs);
    this.note(`${method} ${pathPrefix} is refused with ${verdict.code} for ${seconds} s`);
    this.#parts.world.weather.refuse({ ...refusal, cluster: this.install[cluster].name });
  }

  /** Of the control cluster, as when its API server restarts. */
  breakWatches(): void {
    this.#parts.world.weather.breakWatches({ cluster: this.install.control.name });
  }

  all(kind: Kind): Picked[] {
    return this.control
      .list(customResource(kind, this.namespace))
      .map((object) => pickedOf(customResource(kind, this.namespace), object));
  }

  /** One of those that fit, if there is one. */
  pick(kind: Kind, fits: (object: Found) => boolean = () => true): Picked | undefined {
    return this.oneOf(this.all(kind).filter(({ object }) => fits(object)));
  }

  oneOf<T>(choices: readonly T[]): T | undefined {
    return choices.length === 0 ? undefined : this.chance.pick(choices);
  }

  /**
   * A change of what was read: mostly at once and whatever happened since, sometimes after some
   * thought and only if no other writer came in between, as `kubectl edit` does it.
   */
  async change({ path, object }: Picked, body: Record<string, unknown>): Promise<void> {
    if (this.chance.happens(0.75)) {
      this.control.patch(path, body);
      return;
    }
    if (!(await this.wait(secondMs, 40 * secondMs))) return;
    const { resourceVersion } = object.metadata;
    const metadata = { ...Object(body['metadata']), resourceVersion };
    if (this.control.patch(path, { ...body, metadata })) return;
    // After a conflict most people try again with what is there now.
    if (this.chance.happens(0.7)) this.control.patch(path, body);
  }

  /** As its operators do it, e.g. for new certificates; not while it is away anyway. */
  restartControlPlane(lastsMs: number): void {
    const { world } = this.#parts;
    const { control } = this.install;
    if (!control.isUp || world.weather.isClear) return;
    this.note(`restarts the API server of ${control.name}`);
    interruptCluster(world, control, lastsMs);
  }

  /** Of Temporal, as the `temporal` command line and its web page use it. */
  temporal(): { client: Client; run<T>(act: () => Promise<T>): Promise<T> } {
    const { simulation, temporal } = this.#parts.world;
    const process = new SimulatedProcess(simulation, { name: 'user', chance: this.chance });
    const client = temporal.clientFor(process, 'user');
    return { client, run: (act) => process.run(act) };
  }
}

export function pickedOf(collection: string, object: Found): Picked {
  const { name } = object.metadata;
  return { path: `${collection}/${name}`, name, object };
}

export const isDeleting = ({ metadata }: Found): boolean =>
  metadata.deletionTimestamp !== undefined;

export const isLone = ({ metadata }: Found): boolean =>
  !(metadata.ownerReferences ?? []).some(({ controller }) => controller === true);

export function replicasOf({ spec }: Found): number {
  return Number(spec?.['replicas'] ?? 0);
}

/** Of a Machine; empty where it has none yet. */
export function phaseOf({ status }: Found): string {
  const { currentStatus }: { currentStatus?: { phase?: string } } = { ...status };
  return currentStatus?.phase ?? '';
}

/** Whether a condition of this type is True, of an object with conditions in its status. */
export function isTrue({ status }: Found, type: string): boolean {
  const { conditions = [] }: { conditions?: { type: string; status: string }[] } = { ...status };
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

export function isOwnedBy({ metadata: { ownerReferences = [] } }: Found, owner: Found): boolean {
  return ownerReferences.some(({ uid }) => uid === owner.metadata.uid);
}

/** The Node of a Machine, if it has joined. */
export const nodeOf = ({ metadata }: Found): string | undefined => metadata.labels?.['node'];

/** A Machine that has joined and stays. */
export const hasNode = (object: Found): boolean =>
  !isDeleting(object) && nodeOf(object) !== undefined;
