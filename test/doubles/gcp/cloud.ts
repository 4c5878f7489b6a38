/**
 * The state of the double: instances, disks, operations and the memory of request ids. Time is
 * handed in, in milliseconds.
 */
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
  /** Milliseconds; until then nobody sees it, but its name is taken. */
  visibleAt: number;
  /** Counts changes of the labels. */
  labelVersion: number;
  /** What it has printed to its first serial port. */
  serial?: string;
  dies?: { at: number; status: string | undefined };
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
  operationType: 'insert' | 'delete' | 'setLabels';
  target: StoredInstance;
  startsAt: number;
  doneAt: number;
  isApplied: boolean;
  insertedAt: number;
  errors: { code: string; message: string }[];
  errorStatus: number;
}

export interface CloudTimes {
  /** From the request to RUNNING; an instance is not shown before. */
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

  find(place: Place, name: string, now: number): StoredInstance {
    const found = this.shown(place, now).find((instance) => instance.name === name);
    return found ?? refuse(404, 'notFound', `The resource '${pathOf(place, name)}' was not found`);
  }

  shown(place: Place, now: number): StoredInstance[] {
    return this.instances.filter((instance) => isAt(instance, place) && instance.visibleAt <= now);
  }

  setLabels(
    place: Place,
    name: string,
    { labels, fingerprint, begin }: Labelling,
  ): StoredOperation {
    const instance = this.find(place, name, begin.now);
    if (fingerprint !== fingerprintOf(instance)) {
      refuse(
        412,
        'conditionNotMet',
        `Labels fingerprint either invalid or resource labels have changed`,
      );
    }
    instance.body.labels = labels;
    instance.labelVersion += 1;
    return this.#begin('setLabels', instance, begin);
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
    const visibleAt = now + this.#times.pendingMilliseconds;
    const times = { creationTimestamp, visibleAt };
    const state = { status: 'PROVISIONING', labelVersion: 1 };
    const instance: StoredInstance = { ...place, id, name, body, ...times, ...state };
    const operation = this.#begin('insert', instance, { requestId, now, faults });
    const death = faults.find(({ kind }) => kind === 'dies');
    if (death) {
      const at = operation.doneAt + (death.seconds ?? 0) * 1_000;
      instance.dies = { at, status: death.reason };
    }
    this.instances.push(instance);
    this.disks.push(...disks);
    this.insertsByName.set(name, (this.insertsByName.get(name) ?? 0) + 1);
    if (operation.doneAt <= now) this.advance(now);
    return operation;
  }

  delete(place: Place, name: string, begin: Begin): StoredOperation {
    const known = this.#known(begin.requestId);
    if (known) return known;
    const instance = this.find(place, name, begin.now);
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
    for (const instance of this.instances) {
      if (!instance.dies || instance.dies.at > now) continue;
      const { status } = instance.dies;
      delete instance.dies;
      if (status === undefined) this.#remove(instance, false);
      else instance.status = status;
    }
  }

  #apply({ operationType, target, errors }: StoredOperation): void {
    const hasFailed = errors.length > 0;
    const isMade = operationType === 'insert' && !hasFailed;
    if (isMade && target.status === 'PROVISIONING') target.status = 'RUNNING';
    const isGone =
      (operationType === 'insert' && hasFailed) || (operationType === 'delete' && !hasFailed);
    if (isGone) this.#remove(target, operationType === 'insert');
  }

  #remove(target: StoredInstance, isFailed: boolean): void {
    this.instances = this.instances.filter((instance) => instance !== target);
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

  #begin(
    type: StoredOperation['operationType'],
    target: StoredInstance,
    { requestId, now, faults }: Begin,
  ): StoredOperation {
    const slow = faults.find(({ kind }) => kind === 'slow');
    const atOnce = faults.find(({ kind }) => kind === 'failsAtOnce');
    const failing = atOnce ?? faults.find(({ kind }) => kind === 'operationError');
    const startsAt = atOnce ? now : now + this.#times.pendingMilliseconds;
    const running = slow ? (slow.seconds ?? 1) * 1_000 : this.#times.runningMilliseconds;
    const id = this.#nextId();
    const operation: StoredOperation = {
      project: target.project,
      zone: target.zone,
      name: `operation-${id}`,
      id,
      operationType: type,
      target,
      insertedAt: now,
      startsAt,
      doneAt: atOnce ? now : startsAt + running,
      isApplied: false,
      errors: failing ? errorsOf(failing) : [],
      errorStatus: failing?.status ?? 400,
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

function errorsOf({ code = '', message = '', errors }: Fault): StoredOperation['errors'] {
  return errors ?? [{ code, message }];
}

export interface Labelling {
  labels: Record<string, string>;
  fingerprint: unknown;
  begin: Begin;
}

export function fingerprintOf({ labelVersion }: StoredInstance): string {
  return Buffer.from(`labels-${labelVersion}`).toString('base64');
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
