/** Failed machines that a MachineSet preserves on its own. */
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { AutoPreservation } from '../../workflows/plan/machine-set/auto-preservation.ts';
import { defined } from '../../workflows/values/defined.ts';
import { preserveOf } from '../../workflows/api/preserve-value.ts';
import type { Refusals } from '../../workflows/plan/requeues.ts';
import { inParallel } from '../runtime/parallel.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { recordEvent } from '../../kube/objects/events.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { customResource } from '../../kube/client/paths.ts';
import { component, listOf, setSubject } from './batch-events.ts';
import { parallelCalls } from './parallel-calls.ts';
import { RefusedWrites } from './refused-writes.ts';

/**
 * Reads each machine anew: one that recovered, or that a person wrote something about meanwhile, is
 * passed over, and the next read of the set shows it.
 */
export async function markPreserved(
  control: KubeClient,
  { set, preserve, unpreserve }: { set: ObjectReference } & AutoPreservation,
): Promise<{ refused?: Refusals }> {
  const refused = new RefusedWrites('FailedUpdate');
  const marked = await change(control, set, {
    refused,
    names: preserve,
    value: 'auto-preserved',
    isMeant: (machine) => hasFailed(machine) && wishOf(machine) === undefined,
  });
  const released = await change(control, set, {
    refused,
    names: unpreserve,
    value: null,
    isMeant: (machine) => wishOf(machine) === 'auto-preserved',
  });
  const messages = [
    { reason: 'PreservingMachine', names: marked, words: 'Preserving failed' },
    {
      reason: 'PreservedTooMany',
      names: released,
      words: 'autoPreserveFailedMachineMax was lowered: preserving no more',
    },
  ];
  for (const { reason, names, words } of messages) {
    if (names.length === 0) continue;
    const message = `${words} ${listOf(names)}`;
    recordEvent(control, setSubject(set), { type: 'Normal', reason, message, component });
  }
  refused.report(control, set, 'preserving or letting go');
  return defined({ refused: refused.outcome });
}

interface PreserveChange {
  refused: RefusedWrites;
  names: readonly string[];
  value: string | null;
  isMeant(machine: Machine): boolean;
}

/** Returns the names of those that were changed, sorted. */
async function change(
  control: KubeClient,
  set: ObjectReference,
  { refused, names, value, isMeant }: PreserveChange,
): Promise<string[]> {
  const changed: string[] = [];
  await inParallel(names, parallelCalls, async (name) => {
    const path = customResource('machines', set.namespace, name);
    const machine = await ignoreNotFound(control.get<Machine>(path));
    if (!machine || controllerOf(machine)?.uid !== set.uid || !isMeant(machine)) return;
    const { uid, resourceVersion } = machine.metadata;
    const notes = { [annotations.preserve]: value };
    const metadata = { uid, resourceVersion, annotations: notes };
    const isDone = await refused.attempt(machine.metadata, () =>
      ignoreConflict(control.patch(path, 'merge', { metadata })),
    );
    if (isDone) changed.push(name);
  });
  return changed.toSorted();
}

function hasFailed({ metadata, status }: Machine): boolean {
  return status?.currentStatus?.phase === 'Failed' && metadata.deletionTimestamp === undefined;
}

function wishOf({ metadata }: Machine) {
  return preserveOf(metadata.annotations?.[annotations.preserve]);
}
