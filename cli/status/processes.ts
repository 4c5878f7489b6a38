/** Watcher, workers and Temporal, in a line each. */
import type { Install, LeaseFact, TemporalFacts } from '../install/install.ts';
import { isUnreachableFromHere } from '../install/install.ts';
import { formatAge } from '../terminal/age.ts';

export function processLines(install: Install): string[] {
  return [
    ...leaderLines(install),
    ...install.processes.map(
      ({ namespace, name, component, available, wanted }) =>
        `${component}: ${available} of ${wanted} available (deployment/${name} in ${namespace})`,
    ),
    ...(install.temporal ? [temporalLine(install, install.temporal)] : []),
  ];
}

/** Of many namespaces only how many have one. */
function leaderLines({ leases, now }: Install): string[] {
  if (!leases) return [];
  const [only] = leases;
  if (leases.length === 1 && only) return [`Watcher: ${leaderOf(only, now)}`];
  const led = leases.filter(({ holder }) => holder !== undefined).length;
  return [`Watcher: ${led} of ${leases.length} namespaces have one that leads`];
}

function leaderOf({ holder, renewedAt, mcm }: LeaseFact, now: number): string {
  const time = renewedAt === undefined ? undefined : `${formatAge(now - renewedAt)} ago`;
  if (holder !== undefined) return `${holder} leads${time === undefined ? '' : `, seen ${time}`}`;
  const others = mcm ? `; MCM acts, ${mcm.holder} holds Lease ${mcm.lease}` : '';
  return `none leads${time === undefined ? '' : `; one did until ${time}`}${others}`;
}

function temporalLine(
  install: Install,
  { address, failure, isOther, isRefused, pollers = {}, tookMs = 0 }: TemporalFacts,
): string {
  if (isOther) return `Temporal: ${address} is not that of this install`;
  if (isRefused) return `Temporal: ${address} refuses this command`;
  if (isUnreachableFromHere(install)) return `Temporal: ${address} cannot be reached from here`;
  if (failure !== undefined) return `Temporal: ${address} does not answer`;
  const counts = Object.values(pollers);
  const [workers = 0] = counts;
  const served =
    counts.length === 0 ? '' : `; ${workers} ${workers === 1 ? 'worker polls' : 'workers poll'}`;
  return `Temporal: ${address} answers in ${tookMs} ms${served}`;
}
