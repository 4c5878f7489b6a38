/** The objects of an install, kept up to date by watches. What is no object of ours is read anew. */
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

type Kept = Reflector<KubeObject, Cached<KubeObject>>;

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

const kinds: readonly MachineKind[] = [
  'machinedeployments',
  'machinesets',
  'machines',
  'machineclasses',
];

/** Leases, a stop, Deployments, Events. */
const surroundingsEveryMs = 10_000;

export class LiveFleet {
  readonly #options: LiveFleetOptions;
  readonly #reflectors: ReadonlyMap<MachineKind, Kept>;
  #around: Surroundings | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveFleetOptions) {
    this.#options = options;
    const namespace = namespaceOf(options.place, options.asked);
    this.#reflectors = new Map(
      kinds.map((kind) => [kind, reflectorOf({ ...options, kind, namespace })]),
    );
  }

  /** Fulfilled when all is there. Rejected when the surroundings cannot be read. */
  async start(): Promise<void> {
    await this.#readAround();
    await Promise.all([...this.#reflectors.values()].map(({ synced }) => synced));
    this.#timer = setInterval(() => {
      this.#readAround().catch((error: unknown) => this.#options.onError(error));
    }, surroundingsEveryMs);
  }

  now(): Fleet | undefined {
    if (!this.#around) return undefined;
    return {
      ...this.#around,
      now: Date.now(),
      deployments: this.#items<MachineDeployment>('machinedeployments'),
      sets: this.#items<MachineSet>('machinesets'),
      machines: this.#items<Machine>('machines'),
      classes: this.#items<MachineClass>('machineclasses'),
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.stop()));
  }

  async #readAround(): Promise<void> {
    const { place, asked } = this.#options;
    this.#around = (await readSurroundings(place, asked)).around;
  }

  #items<T extends KubeObject>(kind: MachineKind): T[] {
    const items = [...(this.#reflectors.get(kind)?.items.values() ?? [])];
    return items.map(({ object }) => asKind<T>(object));
  }
}

/** A watch of a kind brings objects of that kind. */
function asKind<T extends KubeObject>(object: KubeObject): T {
  return object as T;
}

function reflectorOf({
  place,
  kind,
  namespace,
  onChange,
  onError,
}: LiveFleetOptions & { kind: MachineKind; namespace: string | undefined }): Kept {
  return new Reflector<KubeObject, Cached<KubeObject>>({
    client: place.kube,
    path: machinesPath(kind, namespace),
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
function trimmed(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata }: KubeObject['metadata'] & { managedFields?: unknown } =
    object.metadata;
  return { ...object, metadata };
}
