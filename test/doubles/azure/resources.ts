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

export interface World {
  subscription: string;
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
    this.#resources.delete(id.toLowerCase());
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
    const dueAt = performance.now() + milliseconds;
    this.#operations.set(id, {
      id,
      dueAt,
      status: 'InProgress',
      finish,
      ...(error && { error }),
    });
    return id;
  }

  operation(id: string): Operation | undefined {
    return this.#operations.get(id);
  }

  /** Ends what is due; before each request. */
  advance(): void {
    for (const operation of this.#operations.values()) {
      if (operation.status !== 'InProgress' || operation.dueAt > performance.now()) continue;
      operation.status = operation.error ? 'Failed' : 'Succeeded';
      operation.finish(operation.error);
    }
  }
}
