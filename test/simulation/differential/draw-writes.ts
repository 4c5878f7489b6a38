/** Draws calls that write. */
import type { Call } from '../../../kube/client/http-client.ts';
import type { Chance } from '../engine/chance.ts';
import { Metadata } from './draw-metadata.ts';
import { drawOperations, drawStatusOperations } from './draw-operations.ts';
import { collectionOf, keyOf, pathOf } from './places.ts';
import type { Place } from './places.ts';

const badNames = ['A', 'a_b', '-a', 'a.', '', 'x'.repeat(254)];
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';

interface Drawn {
  place: Place;
  isStrategic: boolean;
  /** Nothing but a status is sent. */
  hasOnlyStatus: boolean;
}

export class Writes {
  readonly #chance: Chance;
  readonly #metadata: Metadata;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#metadata = new Metadata(chance);
  }

  create(place: Place, step: number): Call {
    const chance = this.#chance;
    const isMadeUp = chance.happens(0.15);
    const name = chance.happens(0.03) ? chance.pick(badNames) : place.name;
    const metadata = {
      ...(isMadeUp ? { generateName: `made-${step}-` } : { name }),
      ...(place.namespace !== '' && chance.happens(0.5) && { namespace: place.namespace }),
      ...(chance.happens(0.02) && { namespace: 'elsewhere' }),
      ...(chance.happens(0.02) && { resourceVersion: '5' }),
      ...(chance.happens(0.05) && { uid: 'wanted', generation: 7 }),
      ...(chance.happens(0.03) && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...this.#metadata.labels(0.5),
      ...this.#metadata.finalizers(0.3),
      ...this.#metadata.owners(0.15),
    };
    return { method: 'POST', path: collectionOf(place), body: this.#whole(place, metadata) };
  }

  replace(place: Place, step: number): Call {
    const chance = this.#chance;
    const { kind } = place;
    // A status that is new in any case: one of our kinds that is written anew gets a version of it.
    const isOfStatus = this.#hasStatus(place) && (kind.isFixed || chance.happens(0.4));
    const hasOnlyStatus = isOfStatus && kind.isCustom;
    const metadata = {
      name: chance.happens(0.03) ? 'other' : place.name,
      ...this.#metadata.version(place, 0.8),
      ...this.#metadata.uid(place, 0.4),
      ...(!hasOnlyStatus && {
        ...this.#metadata.labels(0.5),
        ...this.#metadata.finalizers(0.3),
        ...this.#metadata.owners(0.1),
      }),
    };
    const isNew =
      kind.kind === 'Machine' ? { lastKnownState: `${step}` } : { observedGeneration: step };
    const status = isOfStatus && {
      status: { ...chance.pick(kind.statuses.filter(isWhole)), ...(kind.isCustom && isNew) },
    };
    const body = { ...this.#whole(place, metadata), ...status };
    return { method: 'PUT', path: pathOf(place) + (isOfStatus ? '/status' : ''), body };
  }

  patch(place: Place): Call {
    const chance = this.#chance;
    const isOfStatus = chance.happens(this.#hasStatus(place) ? 0.4 : 0.02);
    const path = pathOf(place) + (isOfStatus ? '/status' : '');
    const contentType = chance.weighted([
      { value: mergePatch, weight: 5 },
      { value: jsonPatch, weight: 2 },
      { value: strategicPatch, weight: 2 },
    ]);
    // A change of the metadata there comes to nothing, and yet a real server makes a version of it.
    const hasOnlyStatus = isOfStatus && place.kind.isCustom;
    const drawn = { place, isStrategic: contentType === strategicPatch, hasOnlyStatus };
    const body =
      contentType === jsonPatch
        ? (hasOnlyStatus ? drawStatusOperations : drawOperations)(chance, place)
        : this.#changed(drawn, isOfStatus);
    return { method: 'PATCH', path, contentType: contentType ?? mergePatch, body };
  }

  #changed({ place, isStrategic, hasOnlyStatus }: Drawn, isOfStatus: boolean): object {
    const chance = this.#chance;
    const metadata = hasOnlyStatus
      ? { ...this.#metadata.version(place, 0.25), ...this.#metadata.uid(place, 0.25) }
      : this.#metadata.changes(place, isStrategic);
    const content = isOfStatus
      ? { status: this.#status(place, isStrategic) }
      : { ...this.#change(place), ...(place.kind.isCustom && this.#otherKind()) };
    return {
      ...(Object.keys(metadata).length > 0 && { metadata }),
      ...(chance.happens(0.8) && content),
    };
  }

  #otherKind(): object {
    return this.#chance.happens(0.02) ? { kind: 'Other' } : {};
  }

  delete(place: Place): Call {
    const chance = this.#chance;
    const preconditions = {
      ...this.#metadata.uid(place, 0.3),
      ...(chance.happens(0.15) && this.#metadata.version(place, 1)),
    };
    const body = {
      ...(Object.keys(preconditions).length > 0 && { preconditions }),
      // With the version of an object whose last finalizer goes by its policy it is refused there.
      ...(!('resourceVersion' in preconditions) &&
        chance.happens(0.6) && {
          propagationPolicy: chance.pick(['Background', 'Foreground', 'Orphan', 'Background']),
        }),
      ...(chance.happens(0.3) && { gracePeriodSeconds: chance.pick([0, 0, 0, -1, 1200, 3600]) }),
    };
    const isBare = chance.happens(0.1);
    return { method: 'DELETE', path: pathOf(place), ...(!isBare && { body }) };
  }

  evict(place: Place): Call {
    const chance = this.#chance;
    const name = chance.happens(0.05) ? 'other' : place.name;
    // With another UID a real server tries for ten seconds.
    const preconditions = { uid: `$uid:${keyOf(place)}` };
    const deleteOptions = {
      ...(chance.happens(0.2) && { preconditions }),
      ...(chance.happens(0.3) && { gracePeriodSeconds: chance.pick([0, 600]) }),
    };
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: place.namespace },
      ...(chance.happens(0.6) && { deleteOptions }),
    };
    return { method: 'POST', path: `${pathOf(place)}/eviction`, body };
  }

  /** So that the few names do not stay taken. */
  release(place: Place): Call {
    const body = { metadata: { finalizers: null } };
    return { method: 'PATCH', path: pathOf(place), contentType: mergePatch, body };
  }

  #hasStatus({ kind }: Place): boolean {
    return kind.statuses.length > 0;
  }

  #whole({ kind, namespace }: Place, metadata: object): object {
    const { apiVersion, kind: own, contents } = kind;
    const type = this.#chance.happens(0.01)
      ? { apiVersion, kind: 'Other' }
      : { apiVersion, kind: own };
    const text = JSON.stringify(this.#chance.pick(contents));
    return { ...type, metadata, ...JSON.parse(text.replaceAll('$namespace', namespace)) };
  }

  #status({ kind }: Place, isStrategic: boolean): object {
    if (kind.statuses.length === 0) return {};
    const isDirective = isStrategic && !kind.isCustom && this.#chance.happens(0.2);
    if (isDirective) return { conditions: [{ $patch: 'delete', type: 'Ready' }] };
    return this.#chance.pick(kind.statuses);
  }

  #change({ kind }: Place): object {
    return kind.changes.length === 0 ? {} : this.#chance.pick(kind.changes);
  }
}

/** A null is a patch's. */
function isWhole(content: object): boolean {
  return !Object.values(content).includes(null);
}
