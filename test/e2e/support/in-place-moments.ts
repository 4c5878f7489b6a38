/**
 * Moments of the update in place that MCM v0.62.1 was recorded in
 * (`test/fixtures/mcm-0.62.1/in-place.jsonl`): each the first at which something is so.
 */
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { labels } from '../../../workflows/api/constants.ts';
import type { InPlaceReason } from '../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../workflows/contracts/in-place-node.ts';
import type { MachinePhase } from '../../../workflows/api/phases.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { momentsOf, named, ofKind, readHistory, type Objects } from './object-history.ts';

export const inPlaceHistoryFile = join(repository, 'test/fixtures/mcm-0.62.1/in-place.jsonl');

/** In their order; the last is the end of the recording. */
const moments = {
  '10-in-place-candidates': hasNode('CandidateForUpdate'),
  '11-in-place-drain-blocked': hasMachine(
    ({ status }) => status?.lastOperation?.type === 'DrainNode',
  ),
  '12-in-place-drained': hasNode('DrainSuccessful'),
  '13-in-place-ready': hasNode('ReadyForUpdate'),
  '14-in-place-updated': hasNode('UpdateSuccessful'),
  '15-in-place-moved': hasMachine(
    ({ metadata }) => metadata.labels?.[labels.updateResult] !== undefined,
  ),
  '16-in-place-failed': hasNode('UpdateFailed', 'InPlaceUpdateFailed'),
  '17-in-place-timed-out': hasNode('ReadyForUpdate', 'InPlaceUpdateFailed'),
  '18-in-place-complete': () => false,
} satisfies Record<string, (objects: Objects) => boolean>;

export type InPlaceMoment = keyof typeof moments;

export const isInPlaceMoment = (name: string): name is InPlaceMoment => name in moments;

export function objectsAt(moment: InPlaceMoment): KubeObject[] {
  let last: KubeObject[] = [];
  for (const objects of momentsOf(readHistory(inPlaceHistoryFile))) {
    last = [...objects.values()];
    if (moments[moment](objects)) break;
  }
  return last;
}

function hasMachine(holds: (machine: Machine) => boolean): (objects: Objects) => boolean {
  return (objects) => ofKind(objects, 'Machine').some(holds);
}

/** A Node with the reason, whose Machine is in the phase. */
function hasNode(reason: InPlaceReason, phase?: MachinePhase): (objects: Objects) => boolean {
  return (objects) =>
    ofKind(objects, 'Node').some((node) => {
      const machine = named(objects, 'Machine', node.metadata.name);
      const isInPhase = phase === undefined || machine?.status?.currentStatus?.phase === phase;
      return inPlaceNodeOf(node)?.reason === reason && isInPhase;
    });
}
