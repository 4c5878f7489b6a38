/** The objects of an install, kept up to date by watches. All else is read anew. */
import type { KubeObject } from '../../activities/kube/client/client.ts';
import type { MachineKind } from '../../activities/kube/client/paths.ts';
import { Reflector } from '../../activities/kube/cache/reflector.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { Place } from '../connect.ts';
import type { Fleet } from '../diagnosis/fleet.ts';
import { machinesPath } from '../fleet/paths.ts';
import type { Surroundings } from '../fleet/read.ts';
import { namespaceOf, readSurroundings } from '../fleet/read.ts';
import type { WatchQuestion } from './command.ts';

interface Cached<T> {
  uid: string;
  name: string;
  resourceVersion: string;
  object: T;
}

export interface ObjectChange {
  kind: MachineKind;
  object: KubeObject;
  /** Undefined for one that is new. */
  previous: KubeObject | undefined;
  isGone: boolean;
}

export interface LiveFleetOptions {
  place: Place;
  asked: WatchQuestion;
  onChange(change: ObjectChange): void;
  onError(error: unknown): void;
}

/** Leases, a stop, Deployments, Events. */
const surroundingsEveryMs = 10_000;

export class LiveFleet {
  readonly #options: LiveFleetOptions;
  readonly #deployments: Kept<MachineDeployment>;
  readonly #sets: Kept<MachineSet>;
  readonly #machines: Kept<Machine>;
  readonly #classes: Kept<MachineClass>;
  #around: Surroundings | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Begins to watch. */
  constructor(options: LiveFleetOptions) {
    this.#options = options;
    this.#deployments = watchKind('machinedeployments', options);
    this.#sets = watchKind('machinesets', options);
    this.#machines = watchKind('machines', options);
    this.#classes = watchKind('machineclasses', options);
  }

  /** Fulfilled when all is there. Rejected when the surroundings cannot be read. */
  async start(): Promise<void> {
    await this.#readAround();
    await Promise.all(this.#watches().map(({ synced }) => synced));
    this.#timer = setInterval(() => {
      this.#readAround().catch((error: unknown) => this.#options.onError(error));
    }, surroundingsEveryMs);
  }

  now(): Fleet | undefined {
    if (!this.#around) return undefined;
    return {
      ...this.#around,
      now: Date.now(),
      deployments: objectsOf(this.#deployments),
      sets: objectsOf(this.#sets),
      machines: objectsOf(this.#machines),
      classes: objectsOf(this.#classes),
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#watches().map((watch) => watch.stop()));
  }

  #watches(): { synced: Promise<void>; stop(): Promise<void> }[] {
    return [this.#deployments, this.#sets, this.#machines, this.#classes];
  }

  async #readAround(): Promise<void> {
    const { place, asked } = this.#options;
    this.#around = (await readSurroundings(place, asked)).around;
  }
}

type Kept<T extends KubeObject> = Reflector<T, Cached<T>>;

function objectsOf<T extends KubeObject>({ items }: Kept<T>): T[] {
  return [...items.values()].map(({ object }) => object);
}

function watchKind<T extends KubeObject>(
  kind: MachineKind,
  { place, asked, onChange, onError }: LiveFleetOptions,
): Kept<T> {
  return new Reflector<T, Cached<T>>({
    client: place.kube,
    path: machinesPath(kind, namespaceOf(place, asked)),
    nameOf,
    transform: (object) => ({
      uid: object.metadata.uid,
      name: nameOf(object.metadata),
      resourceVersion: object.metadata.resourceVersion,
      object: trimmed(object),
    }),
    onChange: ({ type, object: { object }, previous }) =>
      onChange({ kind, object, previous: previous?.object, isGone: type === 'gone' }),
    onError,
  });
}

const nameOf = ({ namespace = '', name }: KubeObject['metadata']): string => `${namespace}/${name}`;

/** Who wrote which field takes more room than all else. */
function trimmed<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}
