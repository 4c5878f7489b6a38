/** A worker of one namespace, as the interceptor of places asks for it. */
import type { ServedPlaces } from '../../activities/place-interceptor.ts';
import type { Place } from '../../workflows/api/place.ts';

export function onlyPlace({ cluster, namespace: ours }: Place): ServedPlaces {
  return {
    cluster,
    what: `namespace ${ours}`,
    take: (_context, namespace = ours) => (namespace === ours ? 'served' : undefined),
  };
}
