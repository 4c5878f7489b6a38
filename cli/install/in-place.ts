/** Where the update in place of a machine is, by its phase and by what its Node says. */
import type { InPlaceReason } from '../../workflows/api/in-place.ts';
import { inPlaceReasonOf, inPlaceUpdate } from '../../workflows/api/in-place.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';

export type UpdateState =
  /** It may be selected. */
  | 'candidate'
  /** Selected; its pods leave its Node. */
  | 'draining'
  /** The agent on its Node is at work. */
  | 'updating'
  /** It said so, or said nothing in time. */
  | 'failed'
  /** Updated; it has to be healthy. */
  | 'updated';

/** Undefined: it is none, or it is over. */
export function updateStateOf({ metadata, status }: Machine): UpdateState | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const byPhase = ofPhase[status?.currentStatus?.phase ?? ''];
  if (byPhase !== undefined) return byPhase;
  const reason = inPlaceReasonOf(status?.conditions);
  return reason && ofReason[reason];
}

const ofPhase: Readonly<Record<string, UpdateState | undefined>> = {
  InPlaceUpdating: 'updating',
  InPlaceUpdateFailed: 'failed',
  InPlaceUpdateSuccessful: 'updated',
};

/** Of a machine in another phase; one that was given up is no longer updated. */
const ofReason: Readonly<Partial<Record<InPlaceReason, UpdateState>>> = {
  CandidateForUpdate: 'candidate',
  SelectedForUpdate: 'draining',
  DrainSuccessful: 'updating',
  ReadyForUpdate: 'updating',
};

/** From the selection on; failed ones are not. */
export function isUpdatingInPlace(machine: Machine): boolean {
  const state = updateStateOf(machine);
  return state === 'draining' || state === 'updating' || state === 'updated';
}

export function hasUpdateFailed(machine: Machine): boolean {
  return updateStateOf(machine) === 'failed';
}

/** Such as `2 updating in place`, `1 update failed`; empty where there is neither. */
export function updatesInWords({ updating, failed }: { updating: number; failed: number }) {
  return [
    ...(updating > 0 ? [`${updating} updating in place`] : []),
    ...(failed > 0 ? [`${failed} ${failed === 1 ? 'update' : 'updates'} failed`] : []),
  ];
}

/** The condition by which Node and Machine say it; copied to the Machine a moment later. */
export function updateConditionOf(
  conditions: readonly NodeCondition[] | null | undefined,
): NodeCondition | undefined {
  return inPlaceReasonOf(conditions) && conditions?.find(({ type }) => type === inPlaceUpdate);
}

/** A person selects each Node. */
export function isManual(deployment: MachineDeployment | undefined): boolean {
  return deployment?.spec.strategy?.inPlaceUpdate?.orchestrationType === 'Manual';
}
