/**
 * The instances of the double and what EC2's actions do to them. Time passes with the calls that
 * look at them.
 */
import { createHash } from 'node:crypto';
import { groupsOf, textsOf, type Form } from './form.ts';
import { checkLaunch } from './launch-rules.ts';
import { Refusal } from './refusal.ts';

export interface DoubleInstance {
  id: string;
  state: 'pending' | 'running' | 'shutting-down' | 'terminated';
  tags: Record<string, string>;
  clientToken: string;
  networkInterfaces: DoubleInterface[];
  /** Looks that it takes to be listed, to be named, to be terminated. */
  listedAfter: number;
  namedAfter: number;
  terminatedAfter: number;
  /** Of the double's clock. */
  terminatesForSeconds: number;
  terminatedAt?: number;
  /** Of the next looks, whether they see it; afterwards all do. */
  sightings: readonly boolean[];
  /** What it has printed; undefined: EC2 has nothing yet. */
  console?: string;
  /** Of a type without latest output. */
  hasNoLatest?: boolean;
  death?: Death;
  stateReason?: StateReason;
}

export interface StateReason {
  code: string;
  message: string;
}

/** EC2 accepts an instance that it cannot start, and ends it by itself. */
export interface Death extends StateReason {
  /** Looks that see it pending before. */
  afterLooks: number;
}

export interface DoubleInterface {
  id: string;
  deviceIndex: string;
  networkCardIndex: string;
  interfaceType: string;
  sourceDestCheck: boolean;
  ipv6Prefixes: string[];
}

/** Of instances that are made from now on. Counted in looks where no unit is named; default 0. */
export interface Delays {
  listedAfter: number;
  namedAfter: number;
  terminatedAfter: number;
  terminatesForSeconds: number;
  /** Default none: once listed, always listed. */
  sightings: readonly boolean[];
}

export const noDelays: Delays = {
  listedAfter: 0,
  namedAfter: 0,
  terminatedAfter: 0,
  terminatesForSeconds: 0,
  sightings: [],
};

export class DoubleInstances {
  readonly all: DoubleInstance[] = [];
  delays: Delays = noDelays;
  /** Of the next instances that are made. */
  readonly deaths: Death[] = [];
  /** Seconds. Goes on when a test says so. */
  now = 0;
  /** EC2 drops the tags of a terminated instance after a while. */
  dropsTags = false;
  pageSize = Number.POSITIVE_INFINITY;
  /** Name of the action that finds nothing any more. */
  forgetAt: string | undefined;
  #made = 0;
  readonly #requestsByToken = new Map<string, { digest: string; instance: DoubleInstance }>();

  /** A token makes one instance, however often it comes; with another request it is refused. */
  run(form: Form): DoubleInstance {
    const token = form.get('ClientToken') ?? '';
    const digest = digestOf(form);
    const before = this.#requestsByToken.get(token);
    if (before && before.digest !== digest)
      throw new Refusal({ code: 'IdempotentParameterMismatch' });
    if (before?.instance.state === 'terminated') {
      throw new Refusal({ code: 'IdempotentInstanceTerminated' });
    }
    if (before) return before.instance;
    checkLaunch(form);
    const instance = this.#make(form, token);
    this.#requestsByToken.set(token, { digest, instance });
    return instance;
  }

  #make(form: Form, clientToken: string): DoubleInstance {
    this.#made += 1;
    const id = `i-${String(this.#made).padStart(17, '0')}`;
    const instance: DoubleInstance = {
      id,
      state: 'pending',
      tags: tagsIn(form, 'instance'),
      clientToken,
      networkInterfaces: groupsOf(form, 'NetworkInterface').map((group, index) => ({
        id: `eni-${id.slice(2)}-${index}`,
        deviceIndex: group.get('DeviceIndex') ?? '0',
        networkCardIndex: group.get('NetworkCardIndex') ?? '0',
        interfaceType: group.get('InterfaceType') ?? 'interface',
        sourceDestCheck: true,
        ipv6Prefixes: [],
      })),
      ...this.delays,
    };
    const death = this.deaths.shift();
    if (death) instance.death = death;
    this.all.push(instance);
    return instance;
  }

  /** By identity: all must exist. By filters: those that are listed by now. */
  describe(form: Form): DoubleInstance[] {
    const ids = textsOf(form, 'InstanceId');
    const listed = this.all.filter((instance) => this.#passesTime(instance));
    const unknown = ids.filter((id) => !listed.some((instance) => instance.id === id));
    if (unknown.length > 0) throw notFound(unknown);
    const filters = groupsOf(form, 'Filter');
    return listed.filter(
      (instance) =>
        (ids.length === 0 || ids.includes(instance.id)) &&
        filters.every((filter) => matches(instance, filter)),
    );
  }

  /** One look: what is awaited comes nearer. True if the instance is listed. */
  #passesTime(instance: DoubleInstance): boolean {
    if (instance.listedAfter > 0) {
      instance.listedAfter -= 1;
      return false;
    }
    const [isSeen = true, ...sightings] = instance.sightings;
    instance.sightings = sightings;
    if (!isSeen) return false;
    if (instance.state === 'pending') start(instance);
    if (instance.namedAfter > 0) instance.namedAfter -= 1;
    if (instance.state === 'shutting-down') this.#end(instance);
    return true;
  }

  #end(instance: DoubleInstance): void {
    instance.terminatedAfter -= 1;
    const { terminatedAfter, terminatedAt = 0 } = instance;
    if (terminatedAfter > 0 || terminatedAt > this.now) return;
    instance.state = 'terminated';
    if (this.dropsTags) instance.tags = {};
  }

  tag(form: Form): void {
    const id = form.get('ResourceId.1') ?? '';
    const found = this.all.find((instance) => instance.id === id);
    if (!found) throw notFound([id]);
    for (const tag of groupsOf(form, 'Tag')) {
      found.tags[tag.get('Key') ?? ''] = tag.get('Value') ?? '';
    }
  }

  terminate(form: Form): DoubleInstance[] {
    const ids = textsOf(form, 'InstanceId');
    const found = this.all.filter(({ id }) => ids.includes(id));
    if (found.length < ids.length) throw notFound(ids);
    for (const instance of found) {
      if (instance.state === 'terminated') continue;
      if (instance.state !== 'shutting-down') {
        instance.terminatedAt = this.now + instance.terminatesForSeconds;
      }
      const takesTime = instance.terminatedAfter > 0 || instance.terminatesForSeconds > 0;
      instance.state = takesTime ? 'shutting-down' : 'terminated';
    }
    return found;
  }

  /** As long after their end, or when somebody else was quicker. */
  forgetIfDue(action: string): void {
    if (action !== this.forgetAt) return;
    this.forgetAt = undefined;
    this.all.length = 0;
  }

  consoleOf(form: Form): DoubleInstance {
    const id = form.get('InstanceId') ?? '';
    const found = this.all.find((instance) => instance.id === id);
    if (!found) throw notFound([id]);
    if (found.hasNoLatest && form.get('Latest') === 'true') {
      const message = 'This instance type does not support retrieving the latest console logs.';
      throw new Refusal({ code: 'UnsupportedOperation', message });
    }
    return found;
  }

  interfaceOf(form: Form): DoubleInterface {
    const id = form.get('NetworkInterfaceId') ?? '';
    const found = this.all
      .flatMap(({ networkInterfaces }) => networkInterfaces)
      .find((networkInterface) => networkInterface.id === id);
    if (found) return found;
    throw new Refusal({ code: 'InvalidNetworkInterfaceID.NotFound', message: id });
  }
}

function notFound(ids: string[]): Refusal {
  const message = `The instance IDs '${ids.join(', ')}' do not exist`;
  return new Refusal({ code: 'InvalidInstanceID.NotFound', message });
}

/** It runs, or its end begins. */
function start(instance: DoubleInstance): void {
  const { death } = instance;
  if (!death) {
    instance.state = 'running';
  } else if (death.afterLooks > 0) {
    instance.death = { ...death, afterLooks: death.afterLooks - 1 };
  } else {
    instance.state = 'shutting-down';
    instance.stateReason = { code: death.code, message: death.message };
  }
}

function matches({ tags, state }: DoubleInstance, filter: Form): boolean {
  const name = filter.get('Name') ?? '';
  const values = textsOf(filter, 'Value');
  if (name === 'tag-key') return values.some((key) => key in tags);
  if (name === 'instance-state-name') return values.includes(state);
  if (name.startsWith('tag:')) return values.includes(tags[name.slice('tag:'.length)] ?? '');
  throw new Refusal({ code: 'InvalidParameterValue', message: `The filter '${name}' is invalid` });
}

export function tagsIn(form: Form, resourceType: string): Record<string, string> {
  const specification = groupsOf(form, 'TagSpecification').find(
    (group) => group.get('ResourceType') === resourceType,
  );
  const tags = specification ? groupsOf(specification, 'Tag') : [];
  return Object.fromEntries(tags.map((tag) => [tag.get('Key') ?? '', tag.get('Value') ?? '']));
}

function digestOf(form: Form): string {
  const sorted = [...form].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
