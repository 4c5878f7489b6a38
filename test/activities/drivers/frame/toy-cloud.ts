/** A cloud in memory, described on the frame: ports, volumes and servers. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import type {
  Body,
  Cloud,
  MakeCall,
  Making,
  Operation,
  Part,
  Resource,
  State,
  Uniqueness,
} from '../../../../activities/drivers/frame/cloud.ts';
import { driverOf, type FrameOptions } from '../../../../activities/drivers/frame/driver.ts';
import { fault } from '../../../../activities/drivers/frame/fault.ts';
import { tagsFor, usualNames } from '../../../../activities/drivers/frame/tags.ts';
import { specCheck } from '../../../../activities/drivers/spec-schema.ts';
import { aRequest } from '../a-request.ts';
import { ToyWire } from './toy-wire.ts';

export type Kind = 'port' | 'volume' | 'server';

export interface ToyThing extends Resource {
  kind: Kind;
  state: State['is'];
  /** Until what it is at comes to its end. */
  looks: number;
}

export interface ToyTypes {
  account: ToyCloud;
  thing: ToyThing;
  content: { tags: Record<string, string> };
}

export const spelling = { word: 'tag', names: usualNames, allowed: /^/ } as const;

type Deed = Parameters<NonNullable<Operation['failure']>>[0];

export class ToyCloud {
  readonly things: ToyThing[] = [];
  /** `server m-1` of all that was ever made. */
  readonly made: string[] = [];
  readonly wire = new ToyWire();
  /** Kinds of which there is no more. */
  readonly refused = new Set<Kind>();
  /** Kinds that fail as they are made. */
  readonly dying = new Set<Kind>();
  /** By which a second make is refused. */
  by: Uniqueness['by'];
  /** How many looks a make and a removal take. */
  looks = 0;
  tagsComeLate = false;
  hasOperations = false;
  readonly #tokens = new Map<string, string>();
  readonly #operations = new Map<string, { operation: Operation; looks: number }>();

  constructor(by: Uniqueness['by'] = 'token') {
    this.by = by;
  }

  named(name: string): ToyThing[] {
    return this.things.filter(({ name: own, machineName = own }) => machineName === name);
  }

  /** In words, in the order in which they were made. */
  words(): string[] {
    return this.things.map(({ kind, name }) => `${kind} ${name}`);
  }

  /** Something that is there without any call of a driver. */
  put(kind: Kind, name: string, more: Partial<ToyThing> = {}): ToyThing {
    const ref = `${kind}-${this.made.push(`${kind} ${name}`)}`;
    const state = this.dying.has(kind) ? 'failed' : this.looks > 0 ? 'coming' : 'ready';
    const thing = { ref, kind, name, state, looks: this.looks, tags: {}, ...more } as const;
    this.things.push(thing);
    return thing;
  }

  async look(kind: Kind, ref: string, signal: AbortSignal): Promise<ToyThing | undefined> {
    return await this.wire.carry(`read ${kind}`, signal, () => {
      const thing = this.things.find((one) => one.kind === kind && one.ref === ref);
      const seen = thing && { ...thing };
      if (thing) this.#goOn(thing);
      return seen;
    });
  }

  async search(kind: Kind, signal: AbortSignal): Promise<ToyThing[]> {
    return await this.wire.carry(`search ${kind}`, signal, () => {
      const things = this.things.filter((one) => one.kind === kind);
      const seen = things.map((one) => ({ ...one }));
      for (const thing of things) this.#goOn(thing);
      return seen;
    });
  }

  async make(kind: Kind, call: MakeCall<ToyTypes>): Promise<Making<ToyTypes>> {
    const { body, token, signal } = call;
    const { name, content } = body;
    const machineName = content.tags['machine'] ?? name;
    const making = await this.wire.carry(`make ${kind}`, signal, (): Making<ToyTypes> => {
      const known = this.#knownBy(`${kind} ${name} ${token}`, kind, name);
      if (known) return { thing: { ...known }, isFound: true };
      if (this.refused.has(kind)) throw fault('quota', `no more ${kind}s`, true);
      const tags = this.tagsComeLate ? {} : content.tags;
      const thing = this.put(kind, name, { tags, machineName });
      this.#tokens.set(`${kind} ${name} ${token}`, thing.ref);
      return this.hasOperations ? { operation: this.#begin(thing.ref) } : { thing: { ...thing } };
    });
    if (!this.tagsComeLate || !('thing' in making)) return making;
    await this.wire.carry(`tag ${kind}`, signal, () => {
      const thing = this.things.find(({ ref }) => ref === making.thing.ref);
      if (thing) thing.tags = content.tags;
    });
    return { ...making, thing: { ...making.thing, tags: content.tags } };
  }

  #knownBy(key: string, kind: Kind, name: string): ToyThing | undefined {
    const namesake = this.things.find((one) => one.kind === kind && one.name === name);
    if (this.by === 'name' && namesake) throw fault('taken', `${kind} ${name} exists`, true);
    const ref = this.by === 'token' ? this.#tokens.get(key) : undefined;
    const known = this.things.find((one) => one.ref === ref);
    if (ref !== undefined && !known) throw fault('spent', `${kind} ${ref} was deleted`, true);
    return known;
  }

  async remove(thing: ToyThing, signal: AbortSignal): Promise<Operation | 'going' | 'gone'> {
    return await this.wire.carry(`remove ${thing.kind}`, signal, () => {
      const known = this.things.find(({ ref }) => ref === thing.ref);
      if (!known) return 'gone';
      if (known.state !== 'going') Object.assign(known, { state: 'going', looks: this.looks });
      if (this.hasOperations) return this.#begin(thing.ref);
      if (this.looks === 0) this.#goOn(known);
      return this.looks === 0 ? 'gone' : 'going';
    });
  }

  async operation(name: string, signal: AbortSignal): Promise<Operation | undefined> {
    return await this.wire.carry('look at operation', signal, () => {
      const known = this.#operations.get(name);
      if (!known) return undefined;
      known.looks -= 1;
      if (known.looks < 0) this.#end(name, known.operation);
      return { ...known.operation };
    });
  }

  /** `operation`: of the thing with this ref. */
  #begin(ref: string): Operation {
    const name = `op-${ref}`;
    const operation: Operation = { name, isDone: false, begunAt: Date.now() };
    this.#operations.set(name, { operation, looks: this.looks });
    return { ...operation };
  }

  #end(name: string, operation: Operation): void {
    operation.isDone = true;
    const thing = this.things.find(({ ref }) => `op-${ref}` === name);
    if (thing?.state === 'failed') {
      this.things.splice(this.things.indexOf(thing), 1);
      operation.failure = (_deed: Deed, what: string, settled: boolean) =>
        fault('capacity', `no room for ${what}`, settled);
    }
    if (thing?.state !== 'ready' && thing) this.#goOn(Object.assign(thing, { looks: 0 }));
  }

  #goOn(thing: ToyThing): void {
    thing.looks -= 1;
    if (thing.looks >= 0) return;
    if (thing.state === 'coming') thing.state = 'ready';
    if (thing.state === 'going') this.things.splice(this.things.indexOf(thing), 1);
  }
}

/** `bodiesOf`: the names of what there is to make for a Machine. */
function partOf(kind: Kind, bodiesOf: (name: string) => string[]): Part<ToyTypes> {
  const providerIDOf = ({ ref }: ToyThing): string => `toy:///${kind}/${ref}`;
  return {
    kind,
    read: (cloud, ref, signal) => cloud.look(kind, ref, signal),
    // All of them: the frame looks whose they are.
    search: (cloud, { signal }) => cloud.search(kind, signal),
    list: (cloud, { signal }) => cloud.search(kind, signal),
    bodies: ({ request }) => bodiesOf(request.machine.name).map((name) => bodyOf(name, request)),
    make: (cloud, call) => cloud.make(kind, call),
    stateOf: ({ state }) => ({ is: state, words: state }),
    protectionOf: ({ tags }) => tags['protection'],
    remove: (cloud, thing, signal) => cloud.remove(thing, signal),
    refOf: (_place, _name, { name }) => name.replace(/^op-/, ''),
    operation: (cloud, { name, signal }) => cloud.operation(name, signal),
    providerIDOf,
    refIn(providerID) {
      const [, of, ref] = /^toy:\/\/\/(\w+)\/([-\w]+)$/.exec(providerID) ?? [];
      if (of === undefined) throw fault('input', `spec.providerID: "${providerID}" is no toy's`);
      return of === kind ? ref : undefined;
    },
  };
}

function bodyOf(name: string, request: CreateRequest): Body<ToyTypes['content']> {
  const tags = tagsFor({ machine: request.machine.name }, request, spelling);
  return { name, content: { tags } };
}

/** Once: its schema takes a while to compile. */
const validate = specCheck({ properties: { size: { enum: ['s', 'm'] } } });

const port = partOf('port', (name) => [`${name}-port`]);
const volume = partOf('volume', (name) => [`${name}-a`, `${name}-b`]);

/** `parts`: with a port and two volumes. */
export interface ToyOptions extends Partial<Cloud<ToyTypes>> {
  hasParts?: boolean;
}

export function toyDriver(
  cloud: ToyCloud,
  { hasParts = false, ...more }: ToyOptions = {},
  options: FrameOptions = { waitSeconds: 600, orphanWaitSeconds: 600, firstPauseSeconds: 0.001 },
): Driver {
  const description: Cloud<ToyTypes> = {
    title: 'toys',
    settleSeconds: 30,
    account: async () => cloud,
    parts: hasParts ? [port, volume] : [],
    instance: partOf('server', (name) => [name]),
    uniqueness: { by: cloud.by },
    tags: spelling,
    tagsComeLate: cloud.tagsComeLate,
    isOfClass: ({ tags }) => tags['by'] === 'mcm',
    instanceOf: ({ ref, name }) => ({
      providerID: `toy:///server/${ref}`,
      nodeName: name,
      isInitialized: true,
    }),
    validate,
    console: async () => 'boot',
    listScope: () => '',
    volumeIds: async (specs) =>
      specs.flatMap(({ csi }) => (csi?.driver === 'csi.toys' && csi.volumeHandle) || []),
    ...more,
  };
  return driverOf(description, options);
}

/** What is not done within a call is pending. */
export const impatient: FrameOptions = { waitSeconds: 0, firstPauseSeconds: 1 };

export const toyRequest = (name: string, more: Partial<CreateRequest> = {}): CreateRequest =>
  aRequest(name, more);

/** As another cluster has tagged it. */
export function tagsOf(
  name: string,
  more: Partial<Pick<CreateRequest, 'cluster' | 'token' | 'machine'>> = {},
): Record<string, string> {
  return tagsFor({ machine: name }, aRequest(name, more), spelling);
}
