/** Draws calls that read. */
import type { Call } from '../../../kube/client/http-client.ts';
import type { Query } from '../../../kube/client/client.ts';
import type { Chance } from '../engine/chance.ts';
import { collectionOf, pathOf } from './places.ts';
import type { Place } from './places.ts';
import { refusedLabelSelectors } from '../../support/api-server/refused-selectors.ts';

const labelSelectors = [
  'l=1',
  'l==2',
  'l!=1',
  'l',
  '!l',
  'l in (1,2)',
  'l notin (1, 2)',
  'l in (3),m',
  'l=1,m!=x',
  'm=x, l=2',
  'l in(1)',
  ' l = 1 ',
  'l>0',
  'l<3',
  'l=',
  'l in ()',
  'l in (,1)',
  'x.y/z=1',
];
const badFieldSelectors = ['spec.nothing=1', 'metadata.name', '=a', 'metadata.name=a,', 'a>b'];

export class Reads {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  get(place: Place): Call {
    const isMetadata = this.#chance.happens(0.1);
    return {
      method: 'GET',
      path: pathOf(place),
      ...(isMetadata && { query: { as: 'PartialObjectMetadata' } }),
    };
  }

  /** `isFresh`: the newest write was to an object that was answered. */
  list(place: Place, isFresh: boolean): Call {
    const query = {
      ...this.#selectors(place, 0.5),
      ...(isFresh && { resourceVersion: '$before:0', resourceVersionMatch: 'NotOlderThan' }),
    };
    return { method: 'GET', path: this.#collection(place), query };
  }

  /** The first page, or one that goes on. */
  page(place: Place): Call {
    const chance = this.#chance;
    const query = {
      limit: 1 + chance.below(3),
      ...(chance.happens(0.15) && { as: 'PartialObjectMetadata' }),
      ...this.#selectors(withoutNames(place), 0.3),
      ...(chance.happens(0.15) && {
        resourceVersion: `$before:${chance.below(6)}`,
        ...(chance.happens(0.7) && { resourceVersionMatch: 'Exact' }),
      }),
    };
    return { method: 'GET', path: this.#collection(place), query };
  }

  /** Of the newest list, or of an older one. */
  nextPage(call: Call): Call {
    const { resourceVersion: _version, resourceVersionMatch: _match, ...query } = call.query ?? {};
    const token = `$token:${this.#chance.happens(0.8) ? 0 : this.#chance.below(4)}`;
    return { ...call, query: { ...query, continue: token } };
  }

  watch(place: Place): { path: string; query: Query } {
    const chance = this.#chance;
    const back = chance.happens(0.8) ? chance.below(5) : chance.below(60);
    return {
      path: this.#collection(place),
      query: { ...this.#selectors(place, 0.5), resourceVersion: `$before:${back}` },
    };
  }

  /** What is not served, or not so. */
  malformed(place: Place): Call {
    return this.#chance.pick<Call>([
      { method: 'GET', path: collectionOf(place), query: { limit: 'x' } },
      { method: 'GET', path: collectionOf(place), query: { resourceVersion: 'x' } },
      { method: 'GET', path: collectionOf(place), query: { continue: 'x' } },
    ]);
  }

  #collection(place: Place): string {
    const isOfAll = place.kind.isOursAlone && this.#chance.happens(0.3);
    return collectionOf(isOfAll ? { ...place, namespace: '' } : place);
  }

  #selectors({ kind }: Place, share: number): Query {
    const chance = this.#chance;
    const labels = chance.happens(0.06) ? refusedLabelSelectors : labelSelectors;
    const fields = chance.happens(0.06) ? badFieldSelectors : kind.fieldSelectors;
    return {
      ...(chance.happens(share) && { labelSelector: chance.pick(labels) }),
      ...(chance.happens(share / 2) && { fieldSelector: chance.pick(fields) }),
    };
  }
}

/** A real server finds these by key or by index, and knows then that there is no next page. */
function withoutNames(place: Place): Place {
  const { fieldSelectors } = place.kind;
  const others = fieldSelectors.filter((field) => !/metadata|nodeName/.test(field));
  return { ...place, kind: { ...place.kind, fieldSelectors: ['', ...others] } };
}
