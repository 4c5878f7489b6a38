/**
 * Machines whose instance somebody else deleted in the cloud: which of them the driver is asked
 * about, and whether the answer is plausible when it says that of many.
 */
import type { MachinePhase } from '../../api/phases.ts';
import { isMeltdown } from '../machine/health.ts';
import { lastPartOf } from '../../values/provider-id.ts';

export interface OwnedInstance {
  /** Name of the Machine. */
  name: string;
  uid: string;
  providerID: string;
}

export interface ListedMachine {
  name: string;
  uid: string;
  className: string;
  phase: MachinePhase;
  isDeleting: boolean;
  /** Milliseconds. */
  createdAt: number;
  providerID?: string;
}

/** Result of one listing, and of a read for each instance that it did not have. */
export interface MissingSearch {
  /** Machines with an instance in this scope. */
  machines: number;
  /** Those whose instance was not listed, and how many of them the cloud was asked for. */
  unlisted: number;
  asked: number;
  /** Those of which the cloud says that there is none, by name. */
  missing: OwnedInstance[];
}

/** A machine in another phase is on its way up or down, or replaced already. */
const phases: ReadonlySet<MachinePhase> = new Set([
  'Pending',
  'Running',
  'Unknown',
  'Available',
  'InPlaceUpdating',
  'InPlaceUpdateSuccessful',
  'InPlaceUpdateFailed',
]);

export interface Candidates {
  owned: OwnedInstance[];
  unlisted: OwnedInstance[];
}

/**
 * `classNames`: of one scope. `listed`: last parts of the providerIDs in all listings of the
 * provider.
 */
export function findUnlisted(
  machines: readonly ListedMachine[],
  scope: { classNames: ReadonlySet<string>; listed: ReadonlySet<string> },
  { now, settleSeconds }: { now: number; settleSeconds: number },
): Candidates {
  const owned = machines.flatMap((machine) => {
    const { name, uid, className, phase, isDeleting, createdAt, providerID } = machine;
    const isSettled = now - createdAt >= settleSeconds * 1_000;
    const counts = scope.classNames.has(className) && phases.has(phase) && !isDeleting && isSettled;
    return counts && providerID !== undefined ? [{ name, uid, providerID }] : [];
  });
  const unlisted = owned.filter(({ providerID }) => !scope.listed.has(lastPartOf(providerID)));
  return { owned, unlisted };
}

export interface ScopeOfProvider {
  provider: string;
  owned?: number;
  missing?: MissingSearch;
}

/** By provider: what the searches of all its scopes found together. */
export function missingByProvider(
  scopes: readonly ScopeOfProvider[],
): ReadonlyMap<string, MissingSearch> {
  const searches = new Map<string, MissingSearch>();
  for (const { provider, owned = 0, missing = nothingMissing(owned) } of scopes) {
    const before = searches.get(provider) ?? nothingMissing(0);
    searches.set(provider, {
      machines: before.machines + missing.machines,
      unlisted: before.unlisted + missing.unlisted,
      asked: before.asked + missing.asked,
      missing: [...before.missing, ...missing.missing],
    });
  }
  return searches;
}

function nothingMissing(machines: number): MissingSearch {
  return { machines, unlisted: 0, asked: 0, missing: [] };
}

/**
 * Most instances of a scope, or of all scopes of a provider, are gone at once: rather a mistake,
 * such as the credentials of another account. A scope may be a zone with two machines.
 */
export function isMassLoss({ machines, unlisted, asked, missing }: MissingSearch): boolean {
  const share = asked === 0 ? 0 : missing.length / asked;
  return isMeltdown({ unknown: Math.round(share * unlisted), joined: machines });
}
