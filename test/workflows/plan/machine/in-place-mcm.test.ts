/**
 * What MCM v0.62.1 did next with a Node, in a recording and in its own specs
 * (`machine_util_test.go`), is what is planned.
 */
import type { InPlaceNode, InPlaceReason } from '../../../../workflows/api/in-place.ts';
import { inPlaceUpdate } from '../../../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../../../workflows/contracts/in-place-node.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import type { InPlacePlan } from '../../../../workflows/plan/machine/in-place.ts';
import { formatPhaseChange, planInPlace } from '../../../../workflows/plan/machine/in-place.ts';
import { inPlaceHistoryFile } from '../../../e2e/support/in-place-moments.ts';
import { momentsOf, named, ofKind, readHistory } from '../../../e2e/support/object-history.ts';

interface Seen {
  name: string;
  phase: MachinePhase;
  node: InPlaceNode;
  /** Of the condition. */
  message: string | undefined;
  /** Of the last operation. */
  description: string | undefined;
}

/** What MCM wrote of a machine at a moment: in words, and what there was right before. */
interface Change {
  before: Seen;
  written: string;
}

function changesIn(before: Seen, after: Seen): Change[] {
  const { phase, node, message, description } = after;
  const changes: Change[] = [];
  if (node.reason !== undefined && node.reason !== before.node.reason) {
    changes.push({ before, written: `${node.reason}: ${message}` });
  }
  // The others are of the health.
  if (phase !== before.phase && phase.startsWith('InPlace')) {
    changes.push({ before, written: `${phase}: ${description}` });
  }
  return changes;
}

function recordedChanges(): Change[] {
  const known = new Map<string, Seen>();
  const changes: Change[] = [];
  for (const objects of momentsOf(readHistory(inPlaceHistoryFile))) {
    for (const { metadata, status } of ofKind(objects, 'Machine')) {
      const { name } = metadata;
      const node = named(objects, 'Node', name);
      const condition = node?.status?.conditions?.find(({ type }) => type === inPlaceUpdate);
      const seen: Seen = {
        name,
        phase: status?.currentStatus?.phase ?? '',
        node: (node && inPlaceNodeOf(node)) ?? {},
        message: condition?.message,
        description: status?.lastOperation?.description,
      };
      changes.push(...changesIn(known.get(name) ?? seen, seen));
      known.set(name, seen);
    }
  }
  return changes;
}

const timeoutSeconds = 20;
/** The one difference: MCM says "in 20s minutes". */
const inOurWords = (text: string): string => text.replace('20s minutes.', '20s.');

/** MCM writes the phase that a result asks for before the condition. */
function planned({ before, written }: Change): string {
  const { name, phase, node } = before;
  const isLate = written.includes('failed to in-place update');
  const standing = { phase, isDrained: true, deadline: isLate ? 0 : Infinity };
  const [first, second] = inTurn((known) => planInPlace({ ...standing, node: known }, 1), node);
  const plan = written.startsWith('InPlace') && second ? second : first;
  if (plan.action === 'setCondition') return `${plan.reason}: ${plan.message}`;
  if (plan.action !== 'setPhase') return plan.action;
  return `${plan.phase}: ${formatPhaseChange(name, plan, timeoutSeconds)}`;
}

/** The next two. */
function inTurn(
  plan: (node: InPlaceNode) => InPlacePlan,
  node: InPlaceNode,
): [InPlacePlan, InPlacePlan?] {
  const first = plan(node);
  if (first.action !== 'setCondition') return [first];
  return [first, plan({ ...node, reason: first.reason })];
}

test('each condition and phase that MCM wrote in the recording is what is planned then', () => {
  const changes = recordedChanges();
  expect(changes.map(planned)).toEqual(changes.map(({ written }) => inOurWords(written)));
  expect(changes).toHaveLength(24);
});

const candidate = { isCandidate: true } as const;
const selected = { ...candidate, isSelected: true } as const;

test.each<{
  name: string;
  node: InPlaceNode;
  phase?: MachinePhase;
  next: InPlaceReason | undefined;
}>([
  { name: 'a Node without the labels', node: {}, next: undefined },
  { name: 'a candidate', node: candidate, next: 'CandidateForUpdate' },
  {
    name: 'a candidate that is not selected yet',
    node: { ...candidate, reason: 'CandidateForUpdate' },
    next: undefined,
  },
  {
    name: 'a candidate whose last update was successful',
    node: { ...candidate, reason: 'UpdateSuccessful' },
    next: 'CandidateForUpdate',
  },
  {
    name: 'one that is selected',
    node: { ...selected, reason: 'CandidateForUpdate' },
    next: 'SelectedForUpdate',
  },
  {
    name: 'one that is not drained yet',
    node: { ...selected, reason: 'SelectedForUpdate' },
    next: undefined,
  },
  {
    name: 'one that is drained',
    node: { ...selected, reason: 'DrainSuccessful' },
    phase: 'InPlaceUpdating',
    next: 'ReadyForUpdate',
  },
  {
    name: 'one whose update was successful',
    node: { ...selected, result: 'successful', reason: 'ReadyForUpdate' },
    phase: 'InPlaceUpdating',
    next: 'UpdateSuccessful',
  },
  {
    name: 'one whose update failed',
    node: { ...selected, result: 'failed', reason: 'ReadyForUpdate' },
    phase: 'InPlaceUpdating',
    next: 'UpdateFailed',
  },
])('the next condition of $name is that of MCM', ({ node, phase = 'Running', next }) => {
  const plan = planInPlace({ phase, node, isDrained: false, deadline: Infinity }, 1);
  expect(plan.action === 'setCondition' ? plan.reason : undefined).toBe(next);
});
