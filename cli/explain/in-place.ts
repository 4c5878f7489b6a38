/** Where the update in place of a machine is, and what it waits for: by the objects alone. */
import type { Node } from '../../kube/objects/nodes.ts';
import { labels } from '../../workflows/api/constants.ts';
import { inPlaceReasons } from '../../workflows/api/in-place.ts';
import { inPlaceNodeOf } from '../../workflows/contracts/in-place-node.ts';
import type { NodeCondition } from '../../workflows/api/meta.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { selectCommand } from '../diagnosis/machine-commands.ts';
import { nodeNameOf } from '../diagnosis/machine-health.ts';
import { replacedAt } from '../diagnosis/machine-in-place.ts';
import { deploymentOf, healthSequelOf, setOf } from '../diagnosis/machine-object.ts';
import type { UpdateState } from '../install/in-place.ts';
import { isManual, updateConditionOf, updateStateOf } from '../install/in-place.ts';
import type { Install } from '../install/install.ts';
import { isoOf, timeOf, updateDeadlineOf, updateDrainDeadlineOf } from '../install/times.ts';
import type { Awaited, Fact } from './explanation.ts';

/** Undefined: no update in place is under way, or there is nothing left that it waits for. */
export function awaitedByUpdate(machine: Machine, install: Install): Awaited | undefined {
  const state = updateStateOf(machine);
  return state ? awaitedByState[state](machine, install) : awaitedByMove(machine, install);
}

const awaitedByState: Record<UpdateState, (machine: Machine, install: Install) => Awaited> = {
  candidate: (machine, install) => ({
    what: isManual(deploymentOf(machine, install))
      ? 'a person, or a program, that selects its Node for the update in place'
      : 'its turn to be updated in place',
    since: updateConditionSince(machine),
  }),
  draining: (machine, install) => ({
    what: 'its pods, which have to leave its Node before it is updated in place',
    since: updateConditionSince(machine),
    until: updateDrainDeadlineOf(machine, install),
    sequel: 'what is left of them is deleted by force',
  }),
  updating: (machine, install) => ({
    what: `the agent on its Node ${nodeNameOf(machine)}, which has to update it`,
    since: sincePhase(machine),
    until: updateDeadlineOf(machine, install),
    sequel: 'its update has failed',
  }),
  failed: (machine, install) => {
    const until = replacedAt(machine, install);
    const who = until === undefined ? 'a person, or ' : '';
    return {
      what: `${who}the agent on its Node ${nodeNameOf(machine)}, which may still succeed`,
      since: sincePhase(machine),
      until,
      ...(until !== undefined && { sequel: healthSequelOf(machine, install, until) }),
    };
  },
  updated: (machine) => ({
    what: `its Node ${nodeNameOf(machine)}, which has to be healthy after its update`,
    since: sincePhase(machine),
  }),
};

/** It is updated, and counts for its old set still. */
function awaitedByMove(machine: Machine, install: Install): Awaited | undefined {
  const { conditions } = machine.status ?? {};
  const isUpdated = updateConditionOf(conditions)?.reason === 'UpdateSuccessful';
  // The label of the set of an earlier template.
  const { labels: ofSet = {} } = setOf(machine, install)?.metadata ?? {};
  if (!isUpdated || ofSet[labels.scaleUpDisabled] !== 'true') return undefined;
  return {
    what: 'its move to the MachineSet of the present template',
    since: updateConditionSince(machine),
  };
}

function updateConditionSince({ status }: Machine): number | undefined {
  return timeOf(updateConditionOf(status?.conditions)?.lastTransitionTime);
}

function sincePhase({ status }: Machine): number | undefined {
  return timeOf(status?.currentStatus?.lastUpdateTime);
}

/** What the Node says, where it was read: the Machine has it a moment later. */
export function updateFacts({ status }: Machine, node: Node | undefined): Fact[] {
  const condition = updateConditionOf(node?.status?.conditions ?? status?.conditions);
  if (!condition) return [];
  const { reason = '', message = '', lastTransitionTime } = condition;
  const since = timeOf(lastTransitionTime);
  const time = since === undefined ? '' : ` since ${isoOf(since)}`;
  const value = `${updateStepOf(condition)}, ${reason}${time}: ${message}${answerOf(node, reason)}`;
  return [{ name: 'Update', value }];
}

/** From 1 to 5: it ends well or not. */
function updateStepOf({ reason }: NodeCondition): string {
  const last = inPlaceReasons.length - 1;
  const index = inPlaceReasons.findIndex((known) => known === reason);
  return `step ${Math.min(index + 1, last)} of ${last}`;
}

/** An answer of the agent that no step has taken up. */
function answerOf(node: Node | undefined, reason: string): string {
  const { result, failedReason } = (node && inPlaceNodeOf(node)) ?? {};
  if (result === undefined || reason === 'UpdateSuccessful' || reason === 'UpdateFailed') return '';
  const why = failedReason === undefined ? '' : `: ${failedReason}`;
  return `; the agent says ${result}${why}`;
}

/** Also where Millwright selects: a person may pick the next one. */
export function updateCommands(machine: Machine): string[] {
  if (updateStateOf(machine) !== 'candidate') return [];
  return [
    '# has its Node updated in place next, as far as the rollout may',
    selectCommand(machine),
  ];
}
