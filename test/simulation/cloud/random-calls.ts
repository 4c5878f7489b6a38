/** Calls of the five routes that the virtual driver uses, good and bad ones, by seed. */
import type { Chance } from '../engine/chance.ts';

export interface RandomCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** `ID` stands for the id of an instance. */
  path: string;
  /** Which instance, in the order of creation; undefined: one that never was. */
  instance?: number | undefined;
  body?: object;
}

const letters = ['a', 'b', 'c'];
const taints = [
  { key: 'k', effect: 'NoSchedule' },
  { key: 'k', value: 'v', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
  { key: 'k' },
  { key: 'k', effect: 'Sometimes' },
  { effect: 'NoSchedule' },
];
/** What no cloud takes. */
const faults = [
  { name: '' },
  { token: null },
  { size: 'huge' },
  { tags: { a: 1 } },
  { labels: ['a'] },
  { taints: {} },
  { needsInitialization: 'yes' },
  { zone: 7 },
  { colour: 'red' },
];

export class RandomCalls {
  readonly #chance: Chance;
  readonly #sent: object[] = [];

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** @param made How many instances there ever were. */
  next(made: number): RandomCall {
    const chance = this.#chance;
    const isKnown = made > 0 && chance.happens(0.9);
    const instance = isKnown ? chance.below(made) : undefined;
    const kinds: (() => RandomCall)[] = [
      () => ({ method: 'POST', path: '/instances', body: this.#order() }),
      () => ({ method: 'GET', path: `/instances?${this.#query()}` }),
      () => ({ method: 'GET', path: '/instances/ID', instance }),
      () => ({ method: 'POST', path: '/instances/ID/initialize', instance }),
      () => ({ method: 'DELETE', path: '/instances/ID', instance }),
    ];
    return chance.happens(0.3) ? (kinds[0] ?? neverMade)() : chance.pick(kinds)();
  }

  #order(): object {
    const chance = this.#chance;
    const earlier = this.#sent.length > 0 ? chance.pick(this.#sent) : undefined;
    if (earlier && chance.happens(0.3)) return reversed(earlier);
    if (earlier && chance.happens(0.2)) return { ...earlier, ...this.#change() };
    const order = { ...this.#newOrder(), ...(chance.happens(0.2) && chance.pick(faults)) };
    this.#sent.push(order);
    return order;
  }

  #newOrder(): object {
    const chance = this.#chance;
    return {
      name: chance.pick(letters),
      token: `token-${this.#sent.length}`,
      ...(chance.happens(0.5) && { zone: chance.pick(letters), size: 'large' }),
      ...(chance.happens(0.8) && { tags: this.#tags() }),
      ...(chance.happens(0.5) && { spec: { deep: [{ b: 1, a: null }] }, userDataDigest: 'd' }),
      ...(chance.happens(0.5) && { labels: { l: 'x' }, annotations: { n: 'y' } }),
      ...(chance.happens(0.3) && { taints: [chance.pick(taints)] }),
      ...(chance.happens(0.5) && { needsInitialization: chance.happens(0.5) }),
    };
  }

  #change(): object {
    const chance = this.#chance;
    return chance.pick([{ tags: this.#tags() }, { spec: { other: true } }, { zone: 'z' }]);
  }

  #tags(): Record<string, string> {
    const chance = this.#chance;
    return { [chance.pick(letters)]: chance.pick(letters), all: 'yes', 'with=sign': 'a=b' };
  }

  #query(): string {
    const chance = this.#chance;
    const query = new URLSearchParams(chance.happens(0.5) ? { name: chance.pick(letters) } : {});
    for (const [key, value] of Object.entries(this.#tags())) {
      if (chance.happens(0.4)) query.append('tag', `${key}=${value}`);
    }
    if (chance.happens(0.1)) query.append('tag', chance.pick(['none', '=', '=a', 'a=']));
    return query.toString();
  }
}

function neverMade(): never {
  throw new Error('there is no kind of call');
}

function reversed(object: object): object {
  return Object.fromEntries(Object.entries(object).toReversed());
}
