/**
 * Failed machines, where a DisruptionPolicy names `Repair`: their set replaces those alone that its
 * deployment lists.
 */
import type { DisruptionPolicy } from '../../workflows/api/disruption-policy.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { defined } from '../../workflows/values/defined.ts';
import { nowMs } from '../system/system.ts';
import { timesOf } from './answers.ts';
import type { GateDependencies } from './dependencies.ts';
import { readObjects } from './dependencies.ts';
import type { NamespaceObjects } from './going.ts';
import { goingOf, limitOf, noObjects } from './going.ts';
import { takeForMachine } from './grants.ts';
import { holdsFor, policiesFor } from './selecting.ts';

export interface RepairTerms {
  /** Machines that may be listed now and are not yet; Infinity without a number. */
  room: number;
  /** They are to be read again then, milliseconds. */
  until?: number;
}

/** What others do is no news to a deployment. */
const againMs = 60_000;

/** Undefined where no policy that selects the deployment names `Repair`. */
export async function termsOfRepairs(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): Promise<RepairTerms | undefined> {
  const { policies = [] } = dependencies.policies.current();
  const own = policiesFor(policies, deployment, 'Repair');
  if (own.length === 0) return undefined;
  if (!sets.some(hasWaiting)) return { room: 0 };
  const { namespace = '' } = deployment.metadata;
  const isCounted = own.some(({ spec }) => spec.atATime?.machines !== undefined);
  const objects = isCounted ? await readObjects(dependencies, namespace) : noObjects;
  const now = nowMs();
  const terms = own.map((policy) => termsIn(policy, { deployment, objects, now }));
  const ends = terms.flatMap(({ until }) => until ?? []);
  return defined({
    room: Math.min(...terms.map(({ room }) => room)),
    until: ends.length === 0 ? undefined : Math.max(...ends),
  });
}

/** A machine that failed and that the set may not replace yet. */
function hasWaiting({ metadata, status }: MachineSet): boolean {
  const listed = metadata.annotations?.[annotations.replacements]?.split(',') ?? [];
  return (status?.failedMachines ?? []).some(({ name = '' }) => !listed.includes(name));
}

interface Question {
  deployment: MachineDeployment;
  objects: NamespaceObjects;
  now: number;
}

function termsIn(policy: DisruptionPolicy, { deployment, objects, now }: Question): RepairTerms {
  const { closed } = timesOf(policy, deployment, now);
  if (closed) return defined({ room: 0, until: closed.until });
  const limit = limitOf(policy, objects);
  if (limit === undefined) return { room: Infinity };
  const room = Math.max(limit - goingOf(policy, objects, { now }).underWay, 0);
  return { room, until: now + againMs };
}

/** Whether lists of machines are to be asked for at all. */
export function namesRepair({ policies }: Pick<GateDependencies, 'policies'>): boolean {
  return (policies.current().policies ?? []).some((policy) => holdsFor(policy, 'Repair'));
}

/** The machines of a set that may be listed, of those that are not yet. */
export async function takeForRepairs(
  dependencies: GateDependencies,
  deployment: MachineDeployment,
  { set, machines }: { set: string; machines: readonly string[] },
): Promise<string[]> {
  const taken: string[] = [];
  for (const machine of machines) {
    const request = { deployment, reason: 'Repair', set, machine } as const;
    const { refusal, isBound } = await takeForMachine(dependencies, request);
    if (refusal !== undefined) break;
    if (isBound) dependencies.disrupted('Repair', 1);
    taken.push(machine);
  }
  return taken;
}
