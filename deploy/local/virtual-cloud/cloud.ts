/**
 * The operations of the cloud. Everything about a call is decided and written to the journal in one
 * go when it comes in; the time that it takes passes afterwards, between the deed and the answer,
 * where a crash hurts most.
 */
import type { MachineErrorCode } from '../../../workflows/api/failures.ts';
import type { Answer, CloudError } from './answers.ts';
import { refusal } from './answers.ts';
import type { CallCounters } from './counters.ts';
import { BadRequest } from './fields.ts';
import type { Fault, Target } from './faults.ts';
import { fateOf, nextFault } from './faults.ts';
import type { CallHappening, Happening } from './happenings.ts';
import type { Instance, InstanceRequest } from './instance.ts';
import {
  describe,
  newInstance,
  parseInstanceRequest,
  requestDigest,
  userDataIn,
} from './instance.ts';
import type { Journal } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Disks } from './machine/disks.ts';

export interface InstanceFilter {
  name?: string;
  namePrefix?: string;
  token?: string;
  tags: Record<string, string>;
  /** Deleted ones too. */
  isDeletedWanted: boolean;
}

export interface CloudParts {
  journal: Journal;
  ledger: Ledger;
  counters: CallCounters;
  disks: Disks;
  onCreated: (instance: Instance) => void;
  onDeleted: (instance: Instance) => void;
}

/** Outcome of an operation. Nothing is changed before it is in the journal. */
interface Deed {
  happening: Omit<CallHappening, 'type' | 'operation' | 'name' | 'isAnswerLost'>;
  status: number;
  /** Called after the deed is done. */
  body: () => object;
}

export class Cloud {
  readonly #parts: CloudParts;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  record(happening: Happening): void {
    const { journal, ledger, counters } = this.#parts;
    const entry = journal.append(happening);
    ledger.apply(entry);
    counters.apply(entry);
  }

  create(body: unknown): Answer {
    const request = this.#parsedRequest(body);
    const target: Target = { operation: 'create', name: request.name, zone: request.zone };
    const userData = userDataIn(body);
    return this.#call(target, () => this.#creation(request, { target, userData }));
  }

  list(filter: InstanceFilter): Answer {
    const name = filter.name ?? filter.namePrefix ?? '';
    return this.#call({ operation: 'list', name }, () => ({
      happening: { outcome: 'ok' },
      status: 200,
      body: () => ({ instances: this.#matching(filter).map(describe) }),
    }));
  }

  describe(id: string): Answer {
    return this.#onInstance('describe', id, (instance) => ({ instance: describe(instance) }));
  }

  initialize(id: string): Answer {
    return this.#onInstance('initialize', id, (instance) => ({ instance: describe(instance) }));
  }

  console(id: string): Answer {
    return this.#onInstance('console', id, (instance) => ({
      output: consoleOf(instance, Date.now()),
    }));
  }

  delete(id: string): Answer {
    const instance = this.#parts.ledger.living.get(id);
    const answer = this.#onInstance('delete', id, () => ({}));
    if (instance?.deletedAt !== undefined) this.#parts.onDeleted(instance);
    return answer;
  }

  /** Each machine has one disk, which comes and goes with it. */
  volumes(): Answer {
    return this.#call({ operation: 'volumes', name: '' }, () => ({
      happening: { outcome: 'ok' },
      status: 200,
      body: () => ({ volumes: [...this.#parts.ledger.living.values()].map(volumeOf) }),
    }));
  }

  #parsedRequest(body: unknown): InstanceRequest {
    try {
      return parseInstanceRequest(body);
    } catch (error) {
      if (error instanceof BadRequest) {
        const name = nameIn(body);
        const { message } = error;
        this.record({
          type: 'call',
          operation: 'create',
          name,
          outcome: 'InvalidArgument',
          message,
        });
      }
      throw error;
    }
  }

  /** Faults of the call go first, then the work. */
  #call(target: Target, plan: () => Deed): Answer {
    const fault = nextFault(this.#parts.ledger.faults, target, 'call');
    if (fault && fault.kind !== 'loseAnswer') return this.#spoil(target, fault);
    const { happening, status, body } = plan();
    const { operation, name } = target;
    const fired = [...(happening.faults ?? []), ...(fault ? [fault.id] : [])];
    this.record({
      type: 'call',
      operation,
      name,
      ...happening,
      ...(fired.length > 0 && { faults: fired }),
      ...(fault && { isAnswerLost: true }),
    });
    return { status, body: body(), ...deliveryOf(fault), isCloudCall: true };
  }

  #spoil({ operation, name }: Target, fault: Fault): Answer {
    const { kind, message = `fault ${fault.id} of the virtual cloud`, seconds } = fault;
    const failed = (outcome: string): void =>
      this.record({ type: 'call', operation, name, outcome, message, faults: [fault.id] });
    if (kind === 'hang') {
      failed('hang');
      const hangSeconds = seconds ?? 3_600;
      return { status: 504, body: {}, delivery: 'hang', hangSeconds, isCloudCall: true };
    }
    if (kind === 'throttle') {
      failed('throttle');
      const headers = { 'retry-after': String(Math.ceil(seconds ?? 1)) };
      return { ...refusal({ code: 'Unavailable', reason: 'Throttled', message }), headers };
    }
    const code = fault.code ?? 'Internal';
    failed(code);
    return refusal({ code, reason: 'InjectedFault', message });
  }

  #creation(
    request: InstanceRequest,
    { target, userData }: { target: Target; userData: string | undefined },
  ): Deed {
    const known = this.#parts.ledger.byToken.get(request.token);
    if (known) return answerKnown(known, request);
    const { faults, settings, instances } = this.#parts.ledger;
    const obstacle = nextFault(faults, target, 'refusal');
    if (obstacle) return refuse(obstacle, request);
    const { fate, fired } = fateOf(faults, target);
    const now = Date.now();
    const hasUserData = userData !== undefined;
    const birth = { settings, fate, ordinal: instances.size, now, hasUserData };
    const created = newInstance(request, birth);
    if (hasUserData) this.#parts.disks.write(created.id, 'user-data', userData);
    return {
      happening: {
        outcome: 'created',
        id: created.id,
        token: created.token,
        created,
        faults: fired.map(({ id }) => id),
      },
      status: 201,
      body: () => {
        this.#parts.onCreated(this.#parts.ledger.instances.get(created.id) ?? created);
        return { instance: describe(created), known: false };
      },
    };
  }

  #onInstance(
    operation: 'describe' | 'initialize' | 'console' | 'delete',
    id: string,
    body: (instance: Instance) => object,
  ): Answer {
    const { living, instances } = this.#parts.ledger;
    const name = instances.get(id)?.name ?? '';
    return this.#call({ operation, name }, () => {
      const instance = living.get(id);
      if (instance)
        return { happening: { outcome: 'ok', id }, status: 200, body: () => body(instance) };
      const message = `there is no instance ${id}`;
      return failedDeed({ code: 'NotFound', reason: 'NoSuchInstance', message }, { id });
    });
  }

  #matching(filter: InstanceFilter): Instance[] {
    const { living, instances } = this.#parts.ledger;
    const all = filter.isDeletedWanted ? instances : living;
    return [...all.values()].filter((instance) => isMatch(instance, filter));
  }
}

function isMatch(instance: Instance, { name, namePrefix, token, tags }: InstanceFilter): boolean {
  if (name !== undefined && instance.name !== name) return false;
  if (namePrefix !== undefined && !instance.name.startsWith(namePrefix)) return false;
  if (token !== undefined && instance.token !== token) return false;
  return Object.entries(tags).every(([key, value]) => instance.tags[key] === value);
}

/**
 * Delivery of the answer to a done operation. `loseAnswer` with seconds is silent so long first.
 */
function deliveryOf(fault: Fault | undefined): Pick<Answer, 'delivery' | 'hangSeconds'> {
  if (fault === undefined) return { delivery: 'send' };
  const { seconds } = fault;
  return seconds === undefined ? { delivery: 'drop' } : { delivery: 'hang', hangSeconds: seconds };
}

function answerKnown(known: Instance, request: InstanceRequest): Deed {
  const { id, token } = known;
  if (requestDigest(known) === requestDigest(request)) {
    const body = (): object => ({ instance: describe(known), known: true });
    return { happening: { outcome: 'known', id, token }, status: 200, body };
  }
  const message = `token: ${JSON.stringify(token)} belongs to instance ${id}, which was asked for in another way`;
  return failedDeed({ code: 'AlreadyExists', reason: 'TokenConflict', message }, { id, token });
}

function refuse(fault: Fault, { size, zone, token }: InstanceRequest): Deed {
  const isQuota = fault.kind === 'quota';
  const standard = isQuota
    ? 'the account may not have more instances'
    : `zone "${zone}" has no more capacity for size "${size}"`;
  const code: MachineErrorCode = 'ResourceExhausted';
  const reason = isQuota ? 'QuotaExceeded' : 'ZoneFull';
  const message = fault.message ?? standard;
  return failedDeed({ code, reason, message }, { token, faults: [fault.id], outcome: fault.kind });
}

function failedDeed(error: CloudError, more: Partial<Deed['happening']>): Deed {
  const { status, body } = refusal(error);
  return {
    happening: { outcome: error.code, message: error.message, ...more },
    status,
    body: () => body,
  };
}

function volumeOf({ id, name, zone }: Instance): object {
  return { id: `${id}-root`, instance: id, instanceName: name, zone, state: 'attached' };
}

function nameIn(body: unknown): string {
  const isNamed = typeof body === 'object' && body !== null && 'name' in body;
  return isNamed && typeof body.name === 'string' ? body.name : '';
}

/** A few lines of its boot, then what its fault says. Empty while it boots, as in real clouds. */
function consoleOf(instance: Instance, now: number): string {
  const { id, size, zone, bootAt, fate } = instance;
  if (now < bootAt) return '';
  const lines = [
    `[    0.000000] virtual cloud: machine ${id}, size ${size}, zone ${zone}`,
    '[    1.204113] cloud-init[512]: running the user data',
    kubeletLine(instance),
    ...(fate.prints === undefined ? [] : [fate.prints]),
  ];
  return `${lines.join('\n')}\n`;
}

function kubeletLine({ name, fate, nodeUid, joinRefusal }: Instance): string {
  const { neverJoins, joinsNotReady } = fate;
  if (neverJoins) return `[    9.530022] kubelet[731]: Node ${name} is not registered`;
  if (joinsNotReady) return `[    9.530022] kubelet[731]: Node ${name} is not ready`;
  const isIn = nodeUid !== undefined;
  if (!isIn && joinRefusal !== undefined) return `[    9.530022] kubelet[731]: ${joinRefusal}`;
  return `[    9.530022] kubelet[731]: Node ${name} ${isIn ? 'is registered' : 'is being registered'}`;
}
