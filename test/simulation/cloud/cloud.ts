/**
 * The virtual cloud in memory: the routes that its driver calls. Records stay for ever, so that the
 * judge sees what was done.
 */
import { BadRequest } from '../../../deploy/local/virtual-cloud/fields.ts';
import {
  parseInstanceRequest,
  requestDigest,
} from '../../../deploy/local/virtual-cloud/instance.ts';
import type { InstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import { Fleet } from './fleet.ts';
import type { Wanted } from './fleet.ts';
import { newRecord, shown } from './records.ts';
import type { InstanceRecord } from './records.ts';
import { answered, badRequest, noSuchInstance, refused, tokenConflict } from './refusals.ts';
import type { CloudAnswer } from './refusals.ts';

export interface CloudCall {
  method: string;
  /** With the query. */
  path: string;
  body?: unknown;
  /** Name of the process that calls. */
  by: string;
  /** Lists have what it makes only after this time. Default 0. */
  listedAfterMs?: number | undefined;
}

export interface Happening {
  kind: 'created' | 'deleted';
  record: InstanceRecord;
  by: string;
}

/** An instance of another program. */
export interface Foreign extends Partial<InstanceRequest> {
  name: string;
}

export class SimulatedCloud {
  readonly #simulation: Simulation;
  readonly #chance: Chance;
  readonly #fleet = new Fleet();
  readonly #listings: { by: string; at: number }[] = [];
  readonly #listeners: ((happening: Happening) => void)[] = [];

  #refusesAllUntilMs = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#chance = simulation.chance.fork();
  }

  get refusesAll(): boolean {
    return this.#simulation.now < this.#refusesAllUntilMs;
  }

  /** For the judge: `CloudNetwork` refuses the calls. Milliseconds since 1970. */
  noteRefusalOfAll(untilMs: number): void {
    this.#refusesAllUntilMs = Math.max(this.#refusesAllUntilMs, untilMs);
  }

  /** All that ever were. */
  get records(): readonly InstanceRecord[] {
    return this.#fleet.records;
  }

  get living(): Iterable<InstanceRecord> {
    return this.#fleet.living;
  }

  get livingCount(): number {
    return this.#fleet.livingCount;
  }

  /** All that were answered and that were not for a name. */
  get listings(): readonly { by: string; at: number }[] {
    return this.#listings;
  }

  /** Living ones, in the order of their creation. */
  matching(wanted: Wanted): InstanceRecord[] {
    return this.#fleet.matching(wanted);
  }

  knowsToken(token: string): boolean {
    return this.#fleet.ofToken(token) !== undefined;
  }

  listen(listener: (happening: Happening) => void): void {
    this.#listeners.push(listener);
  }

  /** Carries a call out, where it arrives. */
  answer(call: CloudCall): CloudAnswer {
    try {
      return this.#answer(call);
    } catch (error) {
      if (error instanceof BadRequest) return refused(badRequest(error.message));
      throw error;
    }
  }

  #answer(call: CloudCall): CloudAnswer {
    const { method, path } = call;
    const { pathname, searchParams } = new URL(path, 'http://cloud');
    const [, , id = '', action] = pathname.split('/');
    const pattern = `${method}${id === '' ? '' : ' id'}${action === undefined ? '' : ` ${action}`}`;
    switch (pattern) {
      case 'POST':
        return this.#create(parseInstanceRequest(call.body), call);
      case 'GET':
        return this.#list(wantedIn(searchParams), call.by);
      case 'GET id':
        return this.#withLiving(id, instanceAnswer);
      case 'DELETE id':
        return this.#delete(decodeURIComponent(id), call.by);
      case 'POST id initialize':
        return this.#withLiving(id, (record) => {
          record.isInitialized = true;
          return instanceAnswer(record);
        });
      case 'GET id console':
        return this.#withLiving(id, ({ name }) =>
          answered(200, JSON.stringify({ output: `the kubelet of ${name} is being started` })),
        );
      default:
        throw new Error(`the simulated cloud has no route ${method} ${path}`);
    }
  }

  /** An instance that some other program made. */
  addForeign(foreign: Foreign): InstanceRecord {
    const token = foreign.token ?? `foreign-${this.#chance.uuid()}`;
    return this.#add(parseInstanceRequest({ ...foreign, token }), { by: 'cloud' });
  }

  /** Ends an instance without anyone's call. */
  vanish(id: string): void {
    const record = this.#fleet.livingOne(id);
    if (record) this.#end(record, 'cloud');
  }

  #create(request: InstanceRequest, call: CloudCall): CloudAnswer {
    const known = this.#fleet.ofToken(request.token);
    if (!known) return createdAnswer(201, this.#add(request, call), false);
    known.creates += 1;
    if (requestDigest(known) === requestDigest(request)) return createdAnswer(200, known, true);
    return refused(tokenConflict(request.token, known.id));
  }

  #add(
    request: InstanceRequest,
    { by, listedAfterMs = 0 }: Pick<CloudCall, 'by' | 'listedAfterMs'>,
  ): InstanceRecord {
    const { now } = this.#simulation;
    const record = newRecord({
      request,
      id: `i-${this.#chance.uuid().replaceAll('-', '').slice(0, 16)}`,
      ordinal: this.#fleet.records.length,
      now,
      listedFrom: now + listedAfterMs,
      createdBy: by,
    });
    this.#fleet.add(record);
    this.#simulation.note('cloud', `${record.id} is created for ${request.name} by ${by}`);
    this.#tell({ kind: 'created', record, by });
    return record;
  }

  #list(wanted: Wanted, by: string): CloudAnswer {
    const { now } = this.#simulation;
    if (wanted.name === undefined) this.#listings.push({ by, at: now });
    const found = this.#fleet.matching(wanted).filter(({ listedFrom }) => listedFrom <= now);
    return answered(200, JSON.stringify({ instances: found.map(shown) }));
  }

  #delete(id: string, by: string): CloudAnswer {
    const record = this.#fleet.ofId(id);
    if (record) record.deletes += 1;
    return this.#withLiving(id, (living) => {
      this.#end(living, by);
      return answered(200, '{}');
    });
  }

  #end(record: InstanceRecord, by: string): void {
    record.deletedAt = Math.floor(this.#simulation.now);
    record.deletedBy = by;
    this.#fleet.remove(record);
    this.#simulation.note('cloud', `${record.id} of ${record.name} is deleted by ${by}`);
    this.#tell({ kind: 'deleted', record, by });
  }

  #tell(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening);
  }

  #withLiving(encodedId: string, act: (record: InstanceRecord) => CloudAnswer): CloudAnswer {
    const id = decodeURIComponent(encodedId);
    const record = this.#fleet.livingOne(id);
    return record ? act(record) : refused(noSuchInstance(id));
  }
}

function instanceAnswer(record: InstanceRecord): CloudAnswer {
  return answered(200, JSON.stringify({ instance: shown(record) }));
}

function createdAnswer(status: number, record: InstanceRecord, known: boolean): CloudAnswer {
  return answered(status, JSON.stringify({ instance: shown(record), known }));
}

function wantedIn(query: URLSearchParams): Wanted {
  const tags = query.getAll('tag').map((text): [string, string] => {
    const split = text.indexOf('=');
    if (split > 0) return [text.slice(0, split), text.slice(split + 1)];
    throw new BadRequest(`tag: ${JSON.stringify(text)} is not of the form key=value`);
  });
  return { name: query.get('name') ?? undefined, tags: Object.fromEntries(tags) };
}
