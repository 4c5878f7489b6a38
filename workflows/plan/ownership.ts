/** Which machines belong to a MachineSet, and which sets to a MachineDeployment. */
import { labels as ownLabels } from '../api/constants.ts';
import type { LabelSelector } from '../api/machine-set.ts';
import { formFaults, isEmptySelector, matches, selectsLabels } from '../api/selector.ts';

export interface Claimant {
  uid: string;
  isDeleting: boolean;
  selector: LabelSelector | undefined;
  /** The spec is wrong: who belongs to the set is not known, so nothing changes hands. */
  isFaulty: boolean;
  /**
   * A MachineDeployment: what it controls it keeps. When labels and selector of a pool change
   * together, its sets are old ones and are rolled; let go, they would be a second pool.
   */
  keepsAll?: boolean;
}

export interface Claimed {
  /** UID of the object that controls the machine. */
  controllerUid?: string;
  isDeleting: boolean;
  labels: Record<string, string>;
}

export interface Claim {
  action: 'keep' | 'adopt' | 'release' | 'leave';
  reason: string;
}

/**
 * As MCM v0.62.1, but a selector that asks for nothing adopts nothing and lets nothing go, where
 * MCM takes everything.
 */
export function planClaim(set: Claimant, machine: Claimed): Claim {
  if (machine.controllerUid === set.uid) return planOwned(set, machine);
  if (machine.controllerUid !== undefined) return leave('another object controls it');
  if (!matches(set.selector, machine.labels)) return leave('the selector does not match');
  if (set.isFaulty) return leave('the spec of the set is wrong');
  if (set.isDeleting) return leave('the set is being deleted');
  if (machine.isDeleting) return leave('it is being deleted');
  return { action: 'adopt', reason: 'no object controls it and the selector matches' };
}

function planOwned(set: Claimant, { labels, isDeleting }: Claimed): Claim {
  if (isEmptySelector(set.selector)) return keep('the selector asks for nothing');
  if (set.keepsAll) return keep('the deployment controls it');
  if (matches(set.selector, labels)) return keep('the selector matches');
  if (set.isFaulty) return leave('the spec of the set is wrong');
  // The garbage collector takes those that are left when the set is gone.
  if (set.isDeleting) return leave('the set is being deleted');
  if (isDeleting) return leave('it is being deleted');
  return { action: 'release', reason: 'the selector does not match any more' };
}

const keep = (reason: string): Claim => ({ action: 'keep', reason });
const leave = (reason: string): Claim => ({ action: 'leave', reason });

/**
 * A set whose template makes machines that its selector does not match would let each of them go
 * and make the next one, for ever. MCM v0.62.1 reads `matchLabels` only, and so do the CRDs, which
 * know no label selectors.
 */
export function selectorFaults(
  selector: LabelSelector | undefined,
  templateLabels: Record<string, string> = {},
): string[] {
  const faults = formFaults(selector);
  if (faults.length > 0) return faults;
  if (selectsLabels(selector, templateLabels)) return [];
  return [
    'spec.selector: Invalid value: must match spec.template.metadata.labels; make one of them fit the other',
  ];
}

/** No label has such a value, so no selector asks for it. */
const someHash = ' ';

/**
 * The same of a MachineDeployment, whose sets have the labels of the template and one more. It
 * would not find the machines of its next set.
 */
export function deploymentSelectorFaults(
  selector: LabelSelector | undefined,
  templateLabels: Record<string, string> = {},
): string[] {
  const faults = selectorFaults(selector, templateLabels);
  if (faults.length > 0 || isEmptySelector(selector)) return faults;
  if (matches(selector, { ...templateLabels, [ownLabels.templateHash]: someHash })) return [];
  return [
    `spec.selector: Invalid value: must not ask for the label ${ownLabels.templateHash}, of which each MachineSet has a value of its own`,
  ];
}
