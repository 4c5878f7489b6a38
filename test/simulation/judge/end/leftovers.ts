/** What nothing needs any more: instances, Nodes and bootstrap tokens. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import { installOfRecord } from '../past/instance-past.ts';
import { uidTag } from '../objects.ts';
import type { EndParts } from './end-parts.ts';

/**
 * Each living instance belongs to one Machine. More orphans than the limit are taken for a mistake:
 * they wait for a person, who reads of them in an Event (docs/safety.md).
 */
export function unmetInstances(parts: EndParts): string[] {
  const { evidence, install, objects } = parts;
  const own = Array.from(evidence.cloud.living)
    .filter((record) => installOfRecord(evidence.world, record) === install)
    .map(({ id, name, providerID }) => {
      const owners = objects.machines.filter(({ spec }) => spec?.providerID === providerID);
      return { what: `instance ${id} of ${name}`, owners: owners.length };
    });
  const orphans = own.filter(({ owners }) => owners === 0).length;
  const areForPeople = orphans > evidence.limits.orphanDeletionsMax && saysTooMany(parts);
  return own
    .filter(({ owners }) => owners > 1 || (owners === 0 && !areForPeople))
    .map(({ what, owners }) => `${what} has ${owners} Machines`);
}

interface Event extends KubeObject {
  reason?: string;
  lastTimestamp?: string;
}

/** The search runs every hour, or later when the last ones failed. */
const searchedMs = 2 * 3_600_000;

function saysTooMany({ evidence, install }: EndParts): boolean {
  const path = `/api/v1/namespaces/${install.namespace}/events`;
  const { items = [] }: { items?: Event[] } = install.control.server.get(path);
  const since = evidence.simulation.now - searchedMs;
  return items.some(
    ({ reason, lastTimestamp = '' }) =>
      reason === 'TooManyOrphans' && Date.parse(lastTimestamp) > since,
  );
}

/**
 * The Node of a Machine that was torn down is gone. Those of other instances, also of those that
 * were made after that, are for the cloud's own controller, and so are those that a restored
 * database brought back.
 */
export function unmetNodes({ evidence, install, witness }: EndParts): string[] {
  const target = evidence.targetOf(install);
  const instances = new Map(
    evidence.cloud.records
      .filter((record) => installOfRecord(evidence.world, record) === install)
      .map((record) => [record.providerID, record] as const),
  );
  return target.nodes
    .present()
    .filter(({ last: { spec, metadata } }) => {
      const { providerID = '' } = spec ?? {};
      const instance = instances.get(providerID);
      if (!instance || evidence.instances.isLiving(providerID)) return false;
      const { [uidTag]: uid = '' } = instance.tags;
      if (witness.hadLost(uid, metadata.name, providerID)) return false;
      const endedAt = witness.endOf(uid, providerID) ?? -Infinity;
      return endedAt > (target.restoredAt ?? 0) && endedAt >= instance.createdAt;
    })
    .map(({ last }) => `Node ${last.metadata.name} has no instance`);
}

interface TokenSecret extends KubeObject {
  type?: string;
  /** In base64. */
  data?: Record<string, string>;
}

const machineUid = 'millwright.dev/machine-uid';

/**
 * A token goes when its Machine first runs, and when that is deleted. One that was made after that,
 * by a call that came late, expires, and so does that of a Machine whose workflow was terminated
 * before: its id was known to that run alone. Kubernetes removes what has expired.
 */
export function unmetTokens({ evidence, install, witness }: EndParts): string[] {
  const { items = [] }: { items?: TokenSecret[] } = install.target.server.get(
    '/api/v1/namespaces/kube-system/secrets',
  );
  const { restoredAt = 0 } = evidence.targetOf(install);
  return items
    .filter((token) => !hasExpired(token, evidence.simulation.now))
    .filter(({ type, metadata }) => {
      const madeAt = Math.max(restoredAt, Date.parse(metadata.creationTimestamp));
      const uid = metadata.annotations?.[machineUid] ?? '';
      return type === 'bootstrap.kubernetes.io/token' && witness.hasNoNeedOfTokenOf(uid, madeAt);
    })
    .map(({ metadata }) => `bootstrap token ${metadata.name} is left`);
}

function hasExpired({ data }: TokenSecret, now: number): boolean {
  const expiration = data?.['expiration'];
  return expiration !== undefined && Date.parse(atob(expiration)) < now;
}
