/** An update in place that failed is tried again, as a person asks for it. */
import { ApplicationFailure } from '@temporalio/common';
import { annotations, labels } from '../../../workflows/api/constants.ts';
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import type { Instance } from '../../../workflows/plan/machine/facts.ts';
import { beginning, formatPhaseChange } from '../../../workflows/plan/machine/in-place.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { pointerTo } from '../../../kube/objects/json-patch.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type { ActivityDependencies } from '../../runtime/dependencies.ts';
import { ownNode } from '../node/deleted.ts';
import { patchCheckedStatus, readSameMachine } from '../object.ts';
import { phaseOf } from '../prepared.ts';
import { statusPatch } from '../status.ts';

interface RetriedMachine {
  machine: ObjectReference;
  instance: Instance | undefined;
}

/**
 * The result goes first: with it the condition would say at once again that the update failed. Its
 * next step is the condition, when the phase says that it goes on: see `planInPlace`.
 */
export async function retryUpdate(
  {
    control,
    target,
    targetCluster,
  }: Pick<ActivityDependencies, 'control' | 'target' | 'targetCluster'>,
  { machine, instance }: RetriedMachine,
): Promise<void> {
  const seen = await readSameMachine(control, machine);
  const phase = seen && phaseOf(seen);
  // It was done before, by an attempt whose answer was lost.
  if (!seen || phase === 'InPlaceUpdating') return;
  if (phase !== 'InPlaceUpdateFailed') throw refusal(`its phase is ${phase} by now`);
  const clusters = target && { control, target, targetCluster };
  const node = clusters && instance && (await ownNode(clusters, { machine, ...instance }));
  if (!target || !node) throw refusal('it has no Node');
  await forgetResult(target, node);
  const { state } = beginning;
  const description = formatPhaseChange(machine.name, beginning);
  const operation = { description, state, type: 'InPlaceUpdate' } as const;
  const change = { phase: beginning.phase, operation, errorCode: null };
  await patchCheckedStatus(control, seen, statusPatch(change));
}

/** Only the one that was read: the agent may have been successful meanwhile. */
async function forgetResult(target: KubeClient, { metadata }: Node): Promise<void> {
  const result = metadata.labels?.[labels.updateResult];
  if (result === 'successful') throw refusal('it was successful after all');
  const path = pointerTo('/metadata/labels', labels.updateResult);
  const note = pointerTo('/metadata/annotations', annotations.updateFailedReason);
  const hasReason = metadata.annotations?.[annotations.updateFailedReason] !== undefined;
  const changes = [
    ...(result === undefined
      ? []
      : [
          { op: 'test', path, value: result },
          { op: 'remove', path },
        ]),
    ...(hasReason ? [{ op: 'remove', path: note }] : []),
  ];
  if (changes.length === 0) return;
  const isSame = { op: 'test', path: '/metadata/uid', value: metadata.uid };
  await target.patch(nodePath(metadata.name), 'json', [isSame, ...changes]);
}

function refusal(why: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`the update is not tried again: ${why}`, 'Refused');
}
