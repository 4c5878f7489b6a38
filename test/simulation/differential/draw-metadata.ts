/** Draws metadata that clients send. */
import type { Chance } from '../engine/chance.ts';
import { keyOf } from './places.ts';
import type { Place } from './places.ts';

const goneOwner = { $patch: 'delete', uid: 'u1' };
const finalizers = ['x.y/one', 'x.y/two', 'x.y/three'];

const ownerOf = (uid: string): object => ({ apiVersion: 'v1', kind: 'Owner', name: 'o', uid });

export class Metadata {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** For a merge patch, or a strategic one. */
  changes(place: Place, isStrategic: boolean): object {
    const chance = this.#chance;
    return {
      ...this.#strangeChanges(),
      ...this.version(place, 0.25),
      ...this.uid(place, 0.25),
      ...this.labels(0.3),
      ...(chance.happens(0.05) && { labels: null }),
      ...this.owners(0.08),
      ...(isStrategic && chance.happens(0.2)
        ? this.#directives()
        : { ...this.finalizers(0.2), ...(chance.happens(0.1) && { finalizers: null }) }),
    };
  }

  #strangeChanges(): object {
    const chance = this.#chance;
    return {
      ...(chance.happens(0.02) && { name: 'other' }),
      ...(chance.happens(0.02) && { namespace: 'elsewhere' }),
      ...(chance.happens(0.03) && { creationTimestamp: null, generation: 9 }),
      // With a change: a real server makes a version of the attempt.
      ...(chance.happens(0.02) && {
        deletionTimestamp: '2026-01-01T00:00:00Z',
        annotations: { 'x.y/attempt': `${chance.below(1_000_000)}` },
      }),
    };
  }

  /** Beside the list itself they are read in any order. */
  #directives(): object {
    const chance = this.#chance;
    return {
      '$deleteFromPrimitiveList/finalizers': [chance.pick(finalizers)],
      ...(chance.happens(0.5) && { ownerReferences: [goneOwner] }),
    };
  }

  version(place: Place, share: number): object {
    const chance = this.#chance;
    if (!chance.happens(share)) return {};
    const own = `$version:${keyOf(place)}`;
    const others = [
      '1',
      '$before:3',
      chance.happens(0.1) ? 'x' : own,
      chance.happens(0.2) ? '' : own,
    ];
    return { resourceVersion: chance.happens(0.7) ? own : chance.pick(others) };
  }

  uid(place: Place, share: number): object {
    if (!this.#chance.happens(share)) return {};
    return { uid: this.#chance.happens(0.75) ? `$uid:${keyOf(place)}` : 'another' };
  }

  labels(share: number): object {
    const chance = this.#chance;
    if (!chance.happens(share)) return {};
    return { labels: chance.pick([{ l: '1' }, { l: '2', m: 'x' }, { l: '3' }, { m: 'y' }, {}]) };
  }

  finalizers(share: number): object {
    const chance = this.#chance;
    if (!chance.happens(share)) return {};
    const chosen = finalizers.filter(() => chance.happens(0.5));
    return { finalizers: chosen };
  }

  owners(share: number): object {
    const chance = this.#chance;
    if (!chance.happens(share)) return {};
    return { ownerReferences: ['u1', 'u2'].filter(() => chance.happens(0.6)).map(ownerOf) };
  }
}
