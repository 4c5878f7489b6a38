/** What operators do in Temporal. */
import {
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  ServiceError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { machineCommands, rolloutCommands } from '../../../../workflows/contracts/commands.ts';
import { scheduleIdOf, workflowIdOf } from '../../../../workflows/contracts/workflow-ids.ts';
import type { User } from '../user.ts';
import { isDeleting, minuteMs } from '../user.ts';

type Send = (handle: WorkflowHandle) => Promise<unknown>;

const by = 'an operator';

interface Errand {
  workflowId: string;
  /** For the timeline. */
  what: string;
  send: Send;
}

async function run(user: User, { workflowId, what, send }: Errand): Promise<void> {
  const text = `${what} to ${workflowId}`;
  await runInTemporal(user, text, ({ workflow }) => send(workflow.getHandle(workflowId)));
}

/** Says what became of it. */
async function runInTemporal(
  user: User,
  text: string,
  act: (client: Client) => Promise<unknown>,
): Promise<void> {
  const temporal = user.temporal();
  user.note(text);
  try {
    await temporal.run(() => act(temporal.client));
    user.note(`${text}: done`);
  } catch (error) {
    if (!isAnswer(error)) throw error;
    user.note(`${text}: ${error.name}`);
  }
}

/** Of the server or the workflow; everything else is a defect. */
function isAnswer(error: unknown): error is Error {
  return (
    error instanceof ServiceError ||
    error instanceof WorkflowNotFoundError ||
    error instanceof ScheduleNotFoundError ||
    error instanceof WorkflowUpdateFailedError ||
    error instanceof WorkflowUpdateRPCTimeoutOrCancelledError
  );
}

interface Verb {
  signal: { name: string };
  update: { name: string };
}

/** As a signal, or as an update that waits for its answer. */
function errandOf(user: User, workflowId: string, [verb, payload]: [Verb, object]): Errand {
  const isUpdate = user.chance.happens(0.5);
  const { signal, update } = verb;
  const updateId = user.chance.uuid();
  return {
    workflowId,
    what: `${isUpdate ? 'update' : 'signal'} ${signal.name} ${JSON.stringify(payload)}`,
    send: (handle) =>
      isUpdate
        ? handle.executeUpdate(update.name, { args: [{ ...payload, by }], updateId })
        : handle.signal(signal.name, { ...payload, by }),
  };
}

/** Mostly of a machine that drains. */
export async function commandMachine(user: User): Promise<void> {
  const { chance, namespace } = user;
  const picked = user.pick('machines', (object) => isDeleting(object) || chance.happens(0.2));
  if (!picked) return;
  const { retryNow, skipDrain, forceDelete, extendDrain, skipVolumeWait } = machineCommands;
  const command = chance.pick<[Verb, object]>([
    [retryNow, {}],
    [retryNow, {}],
    [skipDrain, {}],
    [forceDelete, {}],
    [skipVolumeWait, {}],
    [extendDrain, { minutes: chance.pick([1, 5, 10, -1]) }],
    [extendDrain, { minutes: chance.pick([1, 5, 10]) }],
  ]);
  const workflowId = workflowIdOf('machine', { namespace, name: picked.name });
  await run(user, errandOf(user, workflowId, command));
}

/** What people say to a machine that is updated in place. */
export async function steerUpdate(
  user: User,
  name: string,
  verb: 'selectForUpdate' | 'retryUpdate' | 'giveUpUpdate',
): Promise<void> {
  const workflowId = workflowIdOf('machine', { namespace: user.namespace, name });
  await run(user, errandOf(user, workflowId, [machineCommands[verb], {}]));
}

/** After an obstacle is gone, a drain is asked to go on. */
export async function retryDrain(user: User, name: string): Promise<void> {
  const { retryNow } = machineCommands;
  const workflowId = workflowIdOf('machine', { namespace: user.namespace, name });
  await run(user, errandOf(user, workflowId, [retryNow, {}]));
}

export async function commandRollout(user: User): Promise<void> {
  const { chance, namespace } = user;
  const picked = user.pick('machinedeployments');
  if (!picked) return;
  const { pause, resume, rollback, setReplicas } = rolloutCommands;
  const command = chance.pick<[Verb, object]>([
    [pause, {}],
    [resume, {}],
    [resume, {}],
    [rollback, { revision: chance.pick([0, 0, 1, 2, 42]) }],
    [setReplicas, { replicas: chance.below(8) }],
  ]);
  const workflowId = workflowIdOf('machineDeployment', { namespace, name: picked.name });
  await run(user, errandOf(user, workflowId, command));
}

const kinds = [
  ['machines', 'machine'],
  ['machinesets', 'machineSet'],
  ['machinedeployments', 'machineDeployment'],
] as const;

function anyWorkflow(user: User): string | undefined {
  const [kind, type] = user.chance.pick(kinds);
  const picked = user.pick(kind);
  return picked && workflowIdOf(type, { namespace: user.namespace, name: picked.name });
}

const terminate: Send = (handle) => handle.terminate('a click');

export async function terminateWorkflow(user: User): Promise<void> {
  const workflowId = anyWorkflow(user);
  if (workflowId === undefined) return;
  await run(user, { workflowId, what: 'terminate', send: terminate });
}

/** It is started again by what it finds. */
export async function terminateMachine(user: User, name: string): Promise<void> {
  const workflowId = workflowIdOf('machine', { namespace: user.namespace, name });
  await run(user, { workflowId, what: 'terminate', send: terminate });
}

export async function cancelWorkflow(user: User): Promise<void> {
  const workflowId = anyWorkflow(user);
  if (workflowId === undefined) return;
  await run(user, { workflowId, what: 'cancel', send: (handle) => handle.cancel() });
}

/** How long a person watches a cluster that does not answer before searching for lost instances. */
const doubtMs = 5 * minuteMs;
const longestWatchMs = 60 * minuteMs;

/**
 * The cluster of the Nodes does not answer, as where a zone fails: an operator wants to know now
 * which machines have lost their instance (docs/safety.md). Sometimes just so.
 */
export async function searchForInstances(user: User): Promise<void> {
  const { chance, target, namespace } = user;
  const endAt = user.now + (chance.happens(0.3) ? 0 : longestWatchMs);
  while (target.isUp && user.now < endAt) if (!(await user.wait(0, 2 * minuteMs))) return;
  if (!(await user.wait(0, 2 * doubtMs))) return;
  const scheduleId = scheduleIdOf('orphans', { name: namespace });
  await runInTemporal(user, `trigger ${scheduleId}`, ({ schedule }) =>
    schedule.getHandle(scheduleId).trigger(ScheduleOverlapPolicy.SKIP),
  );
}
