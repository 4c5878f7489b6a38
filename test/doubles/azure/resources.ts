/** What exists in the double, and the operations that are under way. */
import { randomUUID } from 'node:crypto';

export interface Resource {
  id: string;
  /** As `Microsoft.Compute/disks`. */
  type: string;
  group: string;
  name: string;
  location: string;
  tags: Record<string, string>;
  /** As it was sent. */
  sent: Record<string, unknown>;
  properties: Record<string, unknown>;
  provisioningState: string;
  timeCreated: string;
  managedBy?: string;
  runs?: boolean;
  /** What it has printed to its serial console; undefined: there is no log yet. */
  serial?: string;
  /** Of the address of its log. Default https. */
  logScheme?: 'http';
  /** Why it could not be made. */
  failure?: OperationFault;
  /** Of an interface whose virtual machine failed: by the double's clock. */
  reservedUntil?: number;
}

export interface OperationFault {
  code: string;
  message: string;
}

export interface Operation {
  id: string;
  dueAt: number;
  status: 'InProgress' | 'Succeeded' | 'Failed';
  error?: OperationFault;
  finish: (error: OperationFault | undefined) => void;
}

/** As a cloud that is a year behind has them. */
export interface ApiVersions {
  compute: string[];
  disks: string[];
  network: string[];
  graph: string[];
  marketplace: string[];
}

export interface World {
  subscription: string;
  apiVersions: ApiVersions;
  /** Virtual machines that the subscription may have. */
  quota: number;
  /** Sizes that the location does not have. */
  unavailableSizes: string[];
  /** For so long Azure keeps the interface of a virtual machine that failed; really 180. */
  reservationSeconds: number;
  /** Names, in lower case. */
  groups: string[];
  /** `group/network/subnet`, in lower case. */
  subnets: string[];
  /** `publisher:offer:sku:version`, and whether it has a plan. */
  images: Record<string, { plan: boolean }>;
  /** Plans whose terms were accepted. */
  accepted: Set<string>;
}

export class Resources {
  readonly #resources = new Map<string, Resource>();
  readonly #operations = new Map<string, Operation>();
  /** What was deleted, as it was. */
  readonly #ghosts = new Map<string, Resource>();
  #passed = 0;
  readonly world: World;
  /** How many virtual machines each name ever had. */
  readonly created = new Map<string, number>();

  constructor(world: World) {
    this.world = world;
  }

  idOf(group: string, type: string, name: string): string {
    return `/subscriptions/${this.world.subscription}/resourceGroups/${group}/providers/${type}/${name}`;
  }

  /** Ids are the same in any case. */
  get(id: string): Resource | undefined {
    return this.#resources.get(id.toLowerCase());
  }

  put(resource: Resource): void {
    this.#resources.set(resource.id.toLowerCase(), resource);
  }

  remove(id: string): void {
    const resource = this.get(id);
    if (resource) this.#ghosts.set(id.toLowerCase(), resource);
    this.#resources.delete(id.toLowerCase());
  }

  ghost(id: string): Resource | undefined {
    return this.#ghosts.get(id.toLowerCase());
  }

  /** Milliseconds. */
  now(): number {
    return Date.now() + this.#passed;
  }

  /** Lets time pass at once. */
  pass(seconds: number): void {
    this.#passed += seconds * 1_000;
    this.advance();
  }

  all(): Resource[] {
    return [...this.#resources.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  start(
    milliseconds: number,
    error: OperationFault | undefined,
    finish: Operation['finish'],
  ): string {
    const id = randomUUID();
    const dueAt = this.now() + milliseconds;
    this.#operations.set(id, {
      id,
      dueAt,
      status: 'InProgress',
      finish,
      ...(error && { error }),
    });
    return id;
  }

  /** All that is under way fails now. */
  failUnderWay(error: OperationFault): void {
    for (const operation of this.#operations.values()) {
      if (operation.status !== 'InProgress') continue;
      operation.error = error;
      operation.dueAt = this.now();
    }
    this.advance();
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** Ends what is due; before each request. */
  advance(): void {
    for (const operation of this.#operations.values()) {
      if (operation.status !== 'InProgress' || operation.dueAt > this.now()) continue;
      operation.status = operation.error ? 'Failed' : 'Succeeded';
      operation.finish(operation.error);
    }
  }
}
