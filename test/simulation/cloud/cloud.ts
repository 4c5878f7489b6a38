/**
 * The virtual cloud in memory: its routes as drivers call them, and what happens to instances by
 * themselves. Records stay for ever, so that the judge sees what was done.
 */
import type { CloudInstanceRequest } from '../../../activities/drivers/virtual/client.ts';
import type { Chance } from '../engine/chance.ts';
import type { Simulation } from '../engine/simulation.ts';
import { digestOf, newRecord, shown } from './records.ts';
import type { InstanceRecord } from './records.ts';
import { answered, noSuchInstance, refused, tokenConflict } from './refusals.ts';
import type { CloudAnswer } from './refusals.ts';

export interface CloudCall {
  method: string;
  path: string;
  body: unknown;
  /** Name of the process that calls. */
  by: string;
}

export interface Happening {
  kind: 'created' | 'deleted';
  record: InstanceRecord;
  by: string;
}

/** How long a new instance may be missing from lists: less than the driver promises, 1 s. */
const latestListedMs = 900;

export class SimulatedCloud {
  readonly records: InstanceRecord[] = [];
  readonly #simulation: Simulation;
  readonly #chance: Chance;
  readonly #living = new Map<string, InstanceRecord>();
  readonly #byToken = new Map<string, InstanceRecord>();
  readonly #byId = new Map<string, InstanceRecord>();
  readonly #listeners: ((happening: Happening) => void)[] = [];

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#chance = simulation.chance.fork();
  }

  get living(): Iterable<InstanceRecord> {
    return this.#living.values();
  }

  listen(listener: (happening: Happening) => void): void {
    this.#listeners.push(listener);
  }

  /** Carries a call out, where it arrives. */
  answer({ method, path, body, by }: CloudCall): CloudAnswer {
    const url = new URL(path, 'http://cloud');
    const [, , id = '', action] = url.pathname.split('/');
    const route = `${method}${id === '' ? '' : ' id'}${action === undefined ? '' : ' action'}`;
    switch (route) {
      case 'POST':
        return this.#create(requestOf(body), by);
      case 'GET':
        return this.#list(url.searchParams);
      case 'GET id':
        return this.#withLiving(id, (record) => answered(200, { instance: shown(record) }));
      case 'DELETE id':
        return this.#withLiving(id, (record) => {
          this.#end(record, by);
          return answered(200, {});
        });
      case 'POST id action':
        return this.#withLiving(id, (record) => {
          record.isInitialized = true;
          return answered(200, { instance: shown(record) });
        });
      default:
        throw new Error(`the simulated cloud has no route ${method} ${path}`);
    }
  }

  /** An instance that some other program made; returns its id. */
  addForeign(request: CloudInstanceRequest): string {
    return this.#add(request, 'cloud').id;
  }

  /** Ends an instance without anyone's call. */
  vanish(id: string): void {
    const record = this.#living.get(id);
    if (record) this.#end(record, 'cloud');
  }

  #create(request: CloudInstanceRequest, by: string): CloudAnswer {
    const known = this.#byToken.get(request.token);
    if (known && digestOf(known) !== digestOf(request)) return refused(tokenConflict);
    if (known) return answered(200, { instance: shown(known), known: true });
    return answered(201, { instance: shown(this.#add(request, by)), known: false });
  }

  #add(request: CloudInstanceRequest, createdBy: string): InstanceRecord {
    const { now } = this.#simulation;
    const lateMs = this.#chance.happens(0.2) ? this.#chance.between(0, latestListedMs) : 0;
    const record = newRecord({
      request,
      id: `i-${this.#chance.uuid().slice(0, 18)}`,
      ordinal: this.records.length + 1,
      now,
      listedFrom: now + lateMs,
      createdBy,
    });
    this.records.push(record);
    this.#living.set(record.id, record);
    this.#byId.set(record.id, record);
    if (request.token !== '') this.#byToken.set(request.token, record);
    this.#simulation.note('cloud', `${record.id} is created for ${request.name} by ${createdBy}`);
    this.#tell({ kind: 'created', record, by: createdBy });
    return record;
  }

  #end(record: InstanceRecord, by: string): void {
    record.deletedAt = this.#simulation.now;
    record.deletedBy = by;
    this.#living.delete(record.id);
    this.#simulation.note('cloud', `${record.id} of ${record.name} is deleted by ${by}`);
    this.#tell({ kind: 'deleted', record, by });
  }

  #tell(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening);
  }

  #list(query: URLSearchParams): CloudAnswer {
    const name = query.get('name');
    const tags = query.getAll('tag').map((text): [string, string] => {
      const split = text.indexOf('=');
      return [text.slice(0, split), text.slice(split + 1)];
    });
    const { now } = this.#simulation;
    const found = [...this.#living.values()].filter(
      (record) =>
        record.listedFrom <= now &&
        (name === null || record.name === name) &&
        tags.every(([key, value]) => record.tags[key] === value),
    );
    return answered(200, { instances: found.map(shown) });
  }

  #withLiving(id: string, act: (record: InstanceRecord) => CloudAnswer): CloudAnswer {
    const record = this.#living.get(decodeURIComponent(id));
    return record ? act(record) : refused(noSuchInstance);
  }
}

function requestOf(body: unknown): CloudInstanceRequest {
  const request: CloudInstanceRequest = JSON.parse(JSON.stringify(body));
  return request;
}
