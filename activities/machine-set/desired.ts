/** Machines that a MachineSet wants. */
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import { machineSetFaults, quoted } from '../../workflows/api/validation.ts';
import { selectorFaults } from '../../workflows/plan/ownership.ts';
import type { DesiredMachines } from '../../workflows/plan/machine-set/plan.ts';
import { deletePolicyOf } from '../../workflows/plan/machine-set/scale-down.ts';
import { hasFinalizer, isOrphaning } from '../../kube/objects/finalizers.ts';

export function desiredMachinesOf(set: MachineSet): DesiredMachines {
  const { metadata, spec } = set;
  const frozenBy = frozenByOf(set);
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: hasFinalizer(set),
    isOrphaning: isOrphaning(set),
    generation: metadata.generation ?? 0,
    replicas: Math.max(spec.replicas ?? 0, 0),
    ...(frozenBy !== undefined && { frozenBy }),
    faults: faultsOf(set),
  };
}

function faultsOf(set: MachineSet): string[] {
  const policy = set.metadata.annotations?.[annotations.deletePolicy];
  const faults = machineSetFaults(set);
  if (deletePolicyOf(policy) === undefined) {
    const field = `annotation ${annotations.deletePolicy}`;
    faults.push(`${field}: Invalid value: ${quoted(policy)}: must be Random, Newest or Oldest`);
  }
  const { selector, template } = set.spec;
  // One fault of the selector is enough.
  if (faults.some((fault) => fault.startsWith('spec.selector'))) return faults;
  return [...faults, ...selectorFaults(selector, template?.metadata?.labels)];
}

function frozenByOf({ metadata: { labels: held = {} } }: MachineSet): string | undefined {
  if (held[labels.freeze] === 'True') return `${labels.freeze}=True`;
  return labels.scaleUpDisabled in held ? labels.scaleUpDisabled : undefined;
}
