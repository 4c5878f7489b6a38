/** What happens to processes and servers from outside, by seed, until the weather clears. */
import type { Chance } from '../engine/chance.ts';
import { baseOf, namedChance } from '../world/named-chance.ts';
import { disasterNames } from '../world/trouble.ts';
import type { DisasterName } from '../world/trouble.ts';
import type { World } from '../world/world.ts';
import { compact, loseTemporalDatabase, restoreCluster } from './databases.ts';
import { deleteLease, takeLease } from './leases.ts';
import { cutLine, loseCluster, loseTemporal, overload } from './outages.ts';
import { breakHistories, changeVersion, jumpClock, kill, killAll, restart } from './processes.ts';
import { resetRun } from './resets.ts';
import { restoreTemporal } from './temporal-restores.ts';
import { sendTheWorst } from './tenants.ts';
import { replaceUnseen } from './unseen.ts';
import { refuseWrites, stripCreations } from './webhooks.ts';

/** Happens once. What it leaves to chance it draws from `chance` alone. */
export type Disaster = (world: World, chance: Chance) => void;

export const disasters: Readonly<Record<DisasterName, Disaster>> = {
  kills: kill,
  restarts: restart,
  killsOfAll: killAll,
  versionChanges: changeVersion,
  brokenHistories: breakHistories,
  clusterOutages: loseCluster,
  temporalOutages: loseTemporal,
  cutLines: cutLine,
  overloads: overload,
  clockJumps: jumpClock,
  deletedLeases: deleteLease,
  takenLeases: takeLease,
  compactions: compact,
  unseenChanges: replaceUnseen,
  clusterRestores: restoreCluster,
  temporalLosses: loseTemporalDatabase,
  temporalRestores: restoreTemporal,
  refusingWebhooks: refuseWrites,
  resets: resetRun,
  strippingPolicies: stripCreations,
  hugeObjects: sendTheWorst,
};

/** As often as the weather's trouble says. */
export function startDisasters(world: World): void {
  const { simulation, weather } = world;
  const base = baseOf(simulation.chance);
  for (const name of disasterNames) {
    const chance = namedChance(base, name);
    weather.often(weather.trouble[name], () => disasters[name](world, chance), chance);
  }
}
