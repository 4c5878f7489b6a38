/** The state of the double: instances, disks, operations and the memory of request ids. Time is handed in, in milliseconds. */
import { refuse } from './answers.ts';
import type { Fault } from './faults.ts';
import type { InstanceBody } from './rules.ts';

export interface Place {
  project: string;
  zone: string;
}

export interface StoredInstance extends Place {
  id: string;
  name: string;
  status: string;
  body: InstanceBody;
  creationTimestamp: string;
}

export interface StoredDisk extends Place {
  name: string;
  autoDelete: boolean;
  /** Name of the instance. */
  user: string | undefined;
}

export interface StoredOperation extends Place {
  name: string;
  id: string;
  operationType: 'insert' | 'delete';
  target: StoredInstance;
  startsAt: number;
  doneAt: number;
  isApplied: boolean;
  error?: { code: string; message: string };
}

export interface CloudTimes {
  /** From the request to RUNNING. */
  pendingMilliseconds: number;
  /** From RUNNING to DONE. */
  runningMilliseconds: number;
}

export class Cloud {
  instances: StoredInstance[] = [];
  disks: StoredDisk[] = [];
  readonly operations = new Map<string, StoredOperation>();
  /** How many instances each name has had. */
  readonly insertsByName = new Map<string, number>();
  readonly #byRequestId = new Map<string, StoredOperation>();
  readonly #times: CloudTimes;
  #count = 0;

  constructor(times: CloudTimes) {
    this.#times = times;
  }

  find(place: Place, name: string): StoredInstance {
    const found = this.instances.find(
      (instance) => isAt(instance, place) && instance.name === name,
    );
    return found ?? refuse(404, 'notFound', `The resource '${pathOf(place, name)}' was not found`);
  }

  insert(place: Place, body: InstanceBody, { requestId, now, faults }: Begin): StoredOperation {
    const known = this.#known(requestId);
    if (known) return known;
    const { name } = body;
    const taken = this.instances.some((other) => isAt(other, place) && other.name === name);
    if (taken) exists(pathOf(place, name));
    const disks = disksOf(place, body);
    const double = disks.find((disk) =>
      this.disks.some((other) => isAt(other, place) && other.name === disk.name),
    );
    if (double) exists(`projects/${place.project}/zones/${place.zone}/disks/${double.name}`);
    const creationTimestamp = new Date(now).toISOString();
    const id = this.#nextId();
    const instance = { ...place, id, name, status: 'PROVISIONING', body, creationTimestamp };
    this.instances.push(instance);
    this.disks.push(...disks);
    this.insertsByName.set(name, (this.insertsByName.get(name) ?? 0) + 1);
    return this.#begin('insert', instance, { requestId, now, faults });
  }

  delete(place: Place, name: string, begin: Begin): StoredOperation {
    const known = this.#known(begin.requestId);
    if (known) return known;
    const instance = this.find(place, name);
    if (instance.body.deletionProtection) {
      const words = `Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion. Instance: ${name}'.`;
      refuse(400, 'invalidUsage', words);
    }
    instance.status = 'STOPPING';
    return this.#begin('delete', instance, begin);
  }

  /** Brings all operations to where they are at this time. */
  advance(now: number): void {
    for (const operation of this.operations.values()) {
      if (operation.isApplied || operation.doneAt > now) continue;
      operation.isApplied = true;
      this.#apply(operation);
    }
  }

  #apply({ operationType, target, error }: StoredOperation): void {
    const isMade = operationType === 'insert' && !error;
    if (isMade && target.status === 'PROVISIONING') target.status = 'RUNNING';
    const isGone = operationType === 'insert' ? error !== undefined : error === undefined;
    if (!isGone) return;
    this.instances = this.instances.filter((instance) => instance !== target);
    const isFailed = operationType === 'insert';
    for (const disk of this.disks.filter((other) => isAt(other, target))) {
      if (disk.user !== target.name) continue;
      disk.user = undefined;
      if (!disk.autoDelete && !isFailed) continue;
      this.disks = this.disks.filter((other) => other !== disk);
    }
  }

  #known(requestId: string | undefined): StoredOperation | undefined {
    return requestId === undefined ? undefined : this.#byRequestId.get(requestId);
  }

  #begin(type: 'insert' | 'delete', target: StoredInstance, begin: Begin): StoredOperation {
    const { requestId, now, faults } = begin;
    const slow = faults.find(({ kind }) => kind === 'slow');
    const failing = faults.find(({ kind }) => kind === 'operationError');
    const startsAt = now + this.#times.pendingMilliseconds;
    const running = slow ? (slow.seconds ?? 1) * 1_000 : this.#times.runningMilliseconds;
    const id = this.#nextId();
    const operation: StoredOperation = {
      project: target.project,
      zone: target.zone,
      name: `operation-${id}`,
      id,
      operationType: type,
      target,
      startsAt,
      doneAt: startsAt + running,
      isApplied: false,
      ...(failing && { error: { code: failing.code ?? '', message: failing.message ?? '' } }),
    };
    this.operations.set(operation.name, operation);
    if (requestId !== undefined) this.#byRequestId.set(requestId, operation);
    return operation;
  }

  #nextId(): string {
    this.#count += 1;
    return String(4_000_000_000_000_000_000n + BigInt(this.#count));
  }
}

export interface Begin {
  requestId: string | undefined;
  now: number;
  faults: readonly Fault[];
}

export function isAt(one: Place, other: Place): boolean {
  return one.project === other.project && one.zone === other.zone;
}

function pathOf({ project, zone }: Place, name: string): string {
  return `projects/${project}/zones/${zone}/instances/${name}`;
}

function exists(path: string): never {
  return refuse(409, 'alreadyExists', `The resource '${path}' already exists`);
}

/** The boot disk is called as the instance, the others as the instance and their number. */
function disksOf(place: Place, { name, disks }: InstanceBody): StoredDisk[] {
  return disks.map(({ autoDelete = false, boot }, index) => ({
    ...place,
    name: boot ? name : `${name}-${index}`,
    autoDelete,
    user: name,
  }));
}
