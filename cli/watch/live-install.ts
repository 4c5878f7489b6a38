/** The objects of an install, kept up to date by watches. All else is read anew. */
import type { KubeObject } from '../../kube/client/client.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { Reflector } from '../../kube/cache/reflector.ts';
import { isForbidden, isNotFound } from '../../kube/client/errors.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install } from '../install/install.ts';
import { machinesPath } from '../install/paths.ts';
import type { Surroundings } from '../install/read.ts';
import { namespaceOf, readSurroundings } from '../install/read.ts';
import type { InstallScope } from '../command-line/options.ts';

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

interface LiveInstallOptions {
  scope: ClusterScope;
  options: InstallScope;
  onChange(change: ObjectChange): void;
  onError(error: unknown): void;
}

/** Leases, a stop, Deployments, Events. */
const surroundingsEveryMs = 10_000;

export class LiveInstall {
  readonly #options: LiveInstallOptions;
  readonly #deployments: WatchedKind<MachineDeployment>;
  readonly #sets: WatchedKind<MachineSet>;
  readonly #machines: WatchedKind<Machine>;
  readonly #classes: WatchedKind<MachineClass>;
  #around: Surroundings | undefined;
  /** Before that, what is not read yet would count as not there. */
  #isComplete = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  /** Begins to watch. */
  constructor(options: LiveInstallOptions) {
    this.#options = options;
    this.#deployments = watchKind('machinedeployments', options);
    this.#sets = watchKind('machinesets', options);
    this.#machines = watchKind('machines', options);
    this.#classes = watchKind('machineclasses', options);
  }

  /** Fulfilled when all is there. Rejected where something is refused that `status` needs too. */
  async start(): Promise<void> {
    await Promise.all([this.#readAround(), ...this.#watches().map(({ listed }) => listed)]);
    // Ctrl-C comes while a slow server is waited for.
    if (this.#isStopped) return;
    this.#isComplete = true;
    this.#timer = setInterval(() => {
      this.#readAround().catch((error: unknown) => this.#options.onError(error));
    }, surroundingsEveryMs);
  }

  /** Since when the API server gives no answer, milliseconds: what is known is of then. */
  get awaySince(): number | undefined {
    const times = this.#watches().flatMap(({ objects }) => objects.awaySince ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  now(): Install | undefined {
    if (!this.#around || !this.#isComplete) return undefined;
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
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all(this.#watches().map(({ objects }) => objects.stop()));
  }

  #watches() {
    return [this.#deployments, this.#sets, this.#machines, this.#classes];
  }

  async #readAround(): Promise<void> {
    const { scope, options } = this.#options;
    this.#around = (await readSurroundings(scope, options)).around;
  }
}

interface WatchedKind<T extends KubeObject> {
  objects: Reflector<T, Cached<T>>;
  /** Rejected when the API server refuses the first list: the reflector would ask for ever. */
  listed: Promise<void>;
}

function objectsOf<T extends KubeObject>({ objects }: WatchedKind<T>): T[] {
  return [...objects.items.values()].map(({ object }) => object);
}

function watchKind<T extends KubeObject>(
  kind: MachineKind,
  { scope, options, onChange, onError }: LiveInstallOptions,
): WatchedKind<T> {
  let refuse: ((error: unknown) => void) | undefined;
  const refused = new Promise<void>((_resolve, reject) => {
    refuse = reject;
  });
  const objects = new Reflector<T, Cached<T>>({
    client: scope.kube,
    path: machinesPath(kind, namespaceOf(scope, options)),
    nameOf,
    transform: (object) => ({
      uid: object.metadata.uid,
      name: nameOf(object.metadata),
      resourceVersion: object.metadata.resourceVersion,
      // Managed fields take more room than all else.
      object: { ...object, metadata: { ...object.metadata, managedFields: undefined } },
    }),
    onChange: ({ type, object: { object }, previous }) =>
      onChange({ kind, object, previous: previous?.object, isGone: type === 'gone' }),
    onError: (error) => {
      const isRefused = isForbidden(error) || isNotFound(error);
      if (isRefused && !objects.isSynced) refuse?.(error);
      else onError(error);
    },
  });
  const listed = Promise.race([objects.synced, refused]);
  // Little is missing without the classes: `status` goes on as well.
  return { objects, listed: kind === 'machineclasses' ? listed.catch(onError) : listed };
}

const nameOf = ({ namespace = '', name }: KubeObject['metadata']): string => `${namespace}/${name}`;
