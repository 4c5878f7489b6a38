/** The objects of an install and, where its address is known, what Temporal says of it. */
import type { Place } from '../connection/cluster.ts';
import type { Fleet } from './install.ts';
import {
  isAddressOfWatcher,
  isTemporalKnown,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import type { FleetQuestion } from './question.ts';
import { readFleet } from './read.ts';

export async function readAll(place: Place, asked: FleetQuestion): Promise<Fleet> {
  // Its import takes longer than most answers: it begins while they come.
  const early = isTemporalKnown(asked, process.env) ? import('./temporal-facts.ts') : undefined;
  const { fleet, install } = await readFleet(place, asked);
  const options = temporalOptionsOf(asked, install, process.env);
  if (!isTemporalKnown(options, process.env)) return fleet;
  const { readTemporal } = await (early ?? import('./temporal-facts.ts'));
  const temporal = await readTemporal(place, { fleet, install, options });
  const isOfWatcher = isAddressOfWatcher(asked, options);
  return { ...fleet, temporal: { ...temporal, ...(isOfWatcher && { isOfWatcher }) } };
}
