import type { InPlaceNode, InPlaceReason } from '../../../../workflows/api/in-place.ts';
import type { InPlacePlan, InPlaceStanding } from '../../../../workflows/plan/machine/in-place.ts';
import {
  formatPhaseChange,
  isHealthHeld,
  planInPlace,
} from '../../../../workflows/plan/machine/in-place.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';

const now = 1_000_000;
const deadline = now + 60_000;
const marked = { isCandidate: true, isSelected: true };

/** Phase, labels and reason of the Node, and whether it is drained or what the limit is. */
type Row = [
  phase: MachinePhase,
  node: InPlaceNode | undefined,
  next: string,
  standing?: Partial<InPlaceStanding>,
];

const rows: Row[] = [
  // Selection, as MCM v0.62.1 has it.
  ['Running', { isCandidate: true }, 'CandidateForUpdate: Node is a candidate for in-place update'],
  ['Running', marked, 'CandidateForUpdate: Node is a candidate for in-place update'],
  ['Running', { isSelected: true }, 'nothing'],
  ['Running', { result: 'successful' }, 'nothing'],
  ['Running', {}, 'nothing'],
  ['Running', undefined, 'nothing'],
  [
    'Running',
    { ...marked, reason: 'CandidateForUpdate' },
    'SelectedForUpdate: Node is selected for in-place update',
  ],
  [
    'Unknown',
    { ...marked, reason: 'CandidateForUpdate' },
    'SelectedForUpdate: Node is selected for in-place update',
  ],
  [
    'Running',
    { isCandidate: true, reason: 'CandidateForUpdate' },
    'wait: a candidate for an update in place',
  ],
  [
    'Running',
    { isCandidate: true, reason: 'CandidateForUpdate', result: 'successful' },
    'UpdateSuccessful: Node in-place update successful',
  ],
  [
    'Running',
    { isCandidate: true, reason: 'CandidateForUpdate', result: 'failed', failedReason: 'no disk' },
    'UpdateFailed: Node in-place update failed: no disk',
  ],
  // The drain.
  ['Running', { ...marked, reason: 'SelectedForUpdate' }, 'drain'],
  ['Unknown', { ...marked, reason: 'SelectedForUpdate' }, 'drain'],
  ['Running', { ...marked, reason: 'SelectedForUpdate', result: 'successful' }, 'drain'],
  [
    'Running',
    { ...marked, reason: 'SelectedForUpdate' },
    'InPlaceUpdating Processing: is undergoing an in-place update',
    { isDrained: true },
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'SelectedForUpdate' },
    'DrainSuccessful: Node draining successful',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'DrainSuccessful' },
    'ReadyForUpdate: Node is ready for in-place update',
    { deadline: now },
  ],
  [
    'Running',
    { ...marked, reason: 'DrainSuccessful' },
    'InPlaceUpdating Processing: is undergoing an in-place update',
  ],
  // The agent.
  [
    'InPlaceUpdating',
    { ...marked, reason: 'ReadyForUpdate' },
    `wait: its Node is updated in place by the agent on it, until ${deadline}`,
    { deadline },
  ],
  [
    'Running',
    { ...marked, reason: 'ReadyForUpdate' },
    'InPlaceUpdating Processing: is undergoing an in-place update',
  ],
  [
    'Running',
    { ...marked, reason: 'ReadyForUpdate', result: 'failed' },
    'InPlaceUpdating Processing: is undergoing an in-place update',
  ],
  [
    'InPlaceUpdateSuccessful',
    { ...marked, reason: 'ReadyForUpdate', result: 'successful' },
    'UpdateSuccessful: Node in-place update successful',
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'ReadyForUpdate', result: 'successful' },
    'UpdateSuccessful: Node in-place update successful',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'ReadyForUpdate', result: 'failed', failedReason: 'boot' },
    'UpdateFailed: Node in-place update failed: boot',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'ReadyForUpdate', result: 'failed' },
    'UpdateFailed: Node in-place update failed: ',
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'UpdateSuccessful', result: 'successful' },
    'InPlaceUpdateSuccessful Successful: successfully updated dependencies',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'UpdateFailed', result: 'failed', failedReason: 'boot' },
    'InPlaceUpdateFailed Failed: failed to update dependencies: boot',
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'ReadyForUpdate' },
    'InPlaceUpdateFailed Failed: late',
    { deadline: now },
  ],
  ['InPlaceUpdating', undefined, 'InPlaceUpdateFailed Failed: late', { deadline: now }],
  // After a failure.
  [
    'InPlaceUpdateFailed',
    { ...marked, reason: 'UpdateFailed', result: 'successful' },
    'UpdateSuccessful: Node in-place update successful',
    { deadline: now },
  ],
  [
    'InPlaceUpdateFailed',
    { ...marked, reason: 'UpdateSuccessful', result: 'successful' },
    'InPlaceUpdateSuccessful Successful: successfully updated dependencies',
    { deadline: now },
  ],
  [
    'InPlaceUpdateFailed',
    { ...marked, reason: 'UpdateFailed', result: 'failed' },
    `wait: its update in place failed, until ${deadline}`,
    { deadline },
  ],
  [
    'InPlaceUpdateFailed',
    { ...marked, reason: 'UpdateFailed', result: 'failed' },
    'fail',
    { deadline: now },
  ],
  ['InPlaceUpdateFailed', { ...marked, reason: 'ReadyForUpdate' }, 'fail', { deadline: now }],
  [
    'InPlaceUpdateFailed',
    { ...marked, reason: 'UpdateFailed', result: 'failed' },
    'wait: its update in place failed',
  ],
  [
    'InPlaceUpdating',
    { ...marked, reason: 'UpdateFailed' },
    'ReadyForUpdate: Node is ready for in-place update',
  ],
  ['Failed', { ...marked, reason: 'UpdateFailed', result: 'failed' }, 'nothing', { deadline: now }],
  [
    'Failed',
    { ...marked, reason: 'UpdateFailed', result: 'successful' },
    'UpdateSuccessful: Node in-place update successful',
  ],
  ['Failed', { ...marked, reason: 'SelectedForUpdate' }, 'nothing'],
  // After a success.
  ['Running', { ...marked, reason: 'UpdateSuccessful', result: 'successful' }, 'nothing'],
  [
    'Running',
    { ...marked, reason: 'UpdateSuccessful', result: 'failed', failedReason: 'late' },
    'UpdateFailed: Node in-place update failed: late',
  ],
  ['Running', { reason: 'UpdateSuccessful' }, 'nothing'],
  ['InPlaceUpdateSuccessful', { reason: 'UpdateSuccessful' }, 'nothing'],
  [
    'Running',
    { isCandidate: true, reason: 'UpdateSuccessful' },
    'CandidateForUpdate: Node is a candidate for in-place update',
  ],
  // Labels that were taken back.
  ['Running', { reason: 'CandidateForUpdate' }, 'remove'],
  ['Running', { isSelected: true, reason: 'CandidateForUpdate' }, 'remove'],
  ['Running', { reason: 'SelectedForUpdate' }, 'remove, uncordon'],
  ['Running', { isSelected: true, reason: 'SelectedForUpdate' }, 'remove, uncordon'],
  [
    'Running',
    { isCandidate: true, reason: 'SelectedForUpdate' },
    'CandidateForUpdate: Node is a candidate for in-place update, uncordon',
    { isDrained: true },
  ],
  [
    'InPlaceUpdating',
    { isCandidate: true, reason: 'DrainSuccessful' },
    'CandidateForUpdate: Node is a candidate for in-place update, uncordon',
  ],
  ['InPlaceUpdating', { reason: 'DrainSuccessful' }, 'remove, uncordon'],
  [
    'InPlaceUpdating',
    { isCandidate: true, reason: 'CandidateForUpdate' },
    'Running Successful: is not updated in place any more: its Node says nothing of it',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    {},
    'Running Successful: is not updated in place any more: its Node says nothing of it',
    { deadline: now },
  ],
  [
    'InPlaceUpdating',
    { reason: 'ReadyForUpdate' },
    `wait: its Node is updated in place by the agent on it, until ${deadline}`,
    { deadline },
  ],
  // Others.
  ['Pending', { ...marked, reason: 'SelectedForUpdate' }, 'nothing'],
  ['Terminating', { ...marked, reason: 'ReadyForUpdate', result: 'failed' }, 'nothing'],
];

test.each(rows)('%s, %j -> %s', (...[phase, node, next, standing]) => {
  const facts = { phase, isDrained: false, ...(node && { node }), ...standing };
  expect(inWords(planInPlace(facts, now))).toBe(next);
});

function inWords(plan: InPlacePlan): string {
  switch (plan.action) {
    case 'setCondition':
      return `${plan.reason}: ${plan.message}${plan.uncordons ? ', uncordon' : ''}`;
    case 'removeCondition':
      return `remove${plan.uncordons ? ', uncordon' : ''}`;
    case 'setPhase':
      return `${plan.phase} ${plan.state}: ${plan.words ?? 'late'}`;
    case 'wait':
      if (plan.reason === undefined) return 'nothing';
      return `wait: ${plan.reason}${plan.until === undefined ? '' : `, until ${plan.until}`}`;
    case 'drain':
    case 'fail':
      return plan.action;
  }
}

test('the Machine says which limit is over', () => {
  expect(formatPhaseChange('pool-a', {}, 1200)).toBe(
    'Machine pool-a failed to in-place update in 20m0s.',
  );
});

test.each<[MachinePhase, InPlaceReason | undefined, boolean]>([
  ['Running', 'ReadyForUpdate', false],
  ['Unknown', 'SelectedForUpdate', false],
  ['InPlaceUpdating', undefined, true],
  ['InPlaceUpdateFailed', 'UpdateFailed', true],
  ['InPlaceUpdateSuccessful', 'UpdateSuccessful', false],
  ['Failed', undefined, false],
  ['Failed', 'SelectedForUpdate', false],
  ['Failed', 'UpdateFailed', true],
  ['Failed', 'ReadyForUpdate', true],
  ['Failed', 'UpdateSuccessful', false],
])('the health of a %s machine whose Node says %s is left alone: %s', (phase, reason, is) => {
  expect(isHealthHeld(phase, reason)).toBe(is);
});
