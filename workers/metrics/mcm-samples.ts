/** Common parts of the series of MCM v0.62.1. */
import { statusesIn } from '../../watcher/cache/condition-states.ts';
import type { FailedMachine } from '../../watcher/cache/figures.ts';
import type { Sample, Series } from './computed.ts';
import type { Listed } from './leading.ts';

const statusValues: Record<string, number> = { False: 0, True: 1, Unknown: 2 };

export function* conditionSamples(
  of: { name: string; namespace: string },
  states: string,
): Iterable<Sample> {
  for (const [condition, status] of statusesIn(states)) {
    const value = statusValues[status];
    if (value !== undefined) yield { labels: { ...of, condition }, value };
  }
}

export const failedMachineLabels: readonly string[] = [
  'name',
  'namespace',
  'failed_machine_name',
  'failed_machine_provider_id',
  'failed_machine_owner_ref',
  'failed_machine_last_operation_state',
  'failed_machine_last_operation_machine_operation_type',
];

export function* failedMachineSamples(
  of: { name: string; namespace: string },
  machines: readonly FailedMachine[],
): Iterable<Sample> {
  for (const { name, providerID, ownerRef, state, type } of machines) {
    const labels = {
      ...of,
      failed_machine_name: name,
      failed_machine_provider_id: providerID,
      failed_machine_owner_ref: ownerRef,
      failed_machine_last_operation_state: state,
      failed_machine_last_operation_machine_operation_type: type,
    };
    yield { labels, value: 1 };
  }
}

/** As in the labels `createdAt`: whole seconds since 1970. */
export function createdAtLabel(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1_000));
}

type Listable = 'machines' | 'machineSets' | 'machineDeployments';

/** MCM has no label here; this one keeps the namespaces of a fleet apart. */
export function itemsSeries(name: string, resource: Listable, help: string): Series<Listed> {
  return {
    name,
    type: 'gauge',
    help,
    labels: ['namespace'],
    read: ({ namespace, store }) => [
      { labels: { namespace }, value: [...store.all(resource)].length },
    ],
  };
}
