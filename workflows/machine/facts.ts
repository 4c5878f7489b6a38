/** The state of a machine -> the facts that its plan decides by. */
import type { Launch } from '../contracts/references.ts';
import type { MachineFacts } from '../plan/machine/facts.ts';
import type { RunningStep } from '../plan/machine/steps.ts';
import { defined } from '../values/defined.ts';
import { operationFactsOf } from './cloud-operation.ts';
import { joinDeadlineOf } from './deadlines.ts';
import { drainModeOf } from './drain-calls.ts';
import { healthFactsOf } from './health.ts';
import { hookFactsOf } from './hooks.ts';
import { inPlaceFactsOf } from './in-place.ts';
import { missingInstanceFactsOf } from './missing-instance.ts';
import { mayDrainAtOnce, mayLaunch } from './one-step.ts';
import { hasLostNode, isNodeBehind, isNodeReady, ownNodeOf } from './node.ts';
import { preservationFactsOf } from './preservation.ts';
import type { MachineObjectState, MachineState } from './state.ts';
import { instanceOf, isRecorded } from './state.ts';

export function factsOf(
  state: MachineState,
  running: RunningStep | undefined,
  launch?: Launch,
): MachineFacts {
  const { object, creation, teardown, failure, phase } = state;
  const { prepared } = object;
  return defined({
    ...observedFactsOf(object),
    ...dutiesOf(state),
    running,
    operation: operationFactsOf(state, running),
    drain: drainModeOf(state, 'drain'),
    failure,
    instance: instanceOf(state),
    mayLaunch: mayLaunch(state, launch) || undefined,
    unsettledUntil: creation.unsettled?.until,
    wasCreateSent: creation.stage !== 'none',
    isOwned: prepared?.machineSet !== undefined,
    provider: prepared?.provider,
    phase,
    isRecorded: isRecorded(state),
    usesTarget: prepared?.usesTarget ?? true,
    isNodeReady: isNodeReady(state),
    isNodeBehind: isNodeBehind(state),
    nodeSyncAt: state.node.behind?.from,
    createDeadline: joinDeadlineOf(state),
    isConsoleRead: state.consoleOutput !== undefined || undefined,
    health: healthFactsOf(state),
    missing: missingInstanceFactsOf(state),
    preservation: preservationFactsOf(state, ownNodeOf(state)),
    inPlace: inPlaceFactsOf(state),
    mayDrainAtOnce: mayDrainAtOnce(state) || undefined,
    teardown,
    hooks: hookFactsOf(state),
  });
}

function observedFactsOf({ isGone, prepared, isStale, observed }: MachineObjectState) {
  const { isDeleting = false, hasFinalizer = false } = observed ?? {};
  return { isGone, isDeleting, hasFinalizer, isRead: prepared !== undefined && !isStale };
}

/** Facts about what is left to be done or to be known. */
function dutiesOf(state: MachineState) {
  const { object, node, failure, requeues } = state;
  return {
    outage: requeues.read,
    mustCheckName: node.mustCheckName,
    isUnreported: failure?.isReported === false || undefined,
    finalizerAt: finalizerTimeOf(object),
    hasLostNode: hasLostNode(state) || undefined,
    isSuccessorUntold: isSuccessorUntold(object) || undefined,
  };
}

function isSuccessorUntold({ successor, toldSuccessor }: MachineObjectState): boolean {
  return successor !== undefined && successor.uid !== toldSuccessor;
}

/**
 * A person who takes a finalizer off to let an object go has the time to delete it. MCM v0.62.1
 * takes up to 10 minutes.
 */
const finalizerGraceMs = 60_000;

function finalizerTimeOf({ finalizerLostAt }: MachineObjectState): number | undefined {
  return finalizerLostAt === undefined ? undefined : finalizerLostAt + finalizerGraceMs;
}
