/** Carries out what a script has happen from outside, each action at its moment. */
import { isDeepStrictEqual } from 'node:util';
import { isGrpcServiceError } from '@temporalio/client';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import Long from 'long';
import { keys } from '../../../../workflows/contracts/search-attributes.ts';
import { resetRun } from '../../../support/reset-run.ts';
import { describeFailure } from './describe-failure.ts';
import { ScheduleActions } from './schedule-actions.ts';
import type {
  Action,
  CrewAction,
  Moment,
  Outside,
  ResetAction,
  ScheduleAction,
  ScheduleCounts,
  Script,
  UpdateAction,
} from './script.ts';
import type { Stage } from './stage.ts';
import { retryOf } from './retry.ts';
import type { scripted } from './workflows.ts';

const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
const taskCompleted = 'WORKFLOW_TASK_COMPLETED';
const pollMs = 50;
const longestWaitMs = 90_000;

export class Director {
  readonly #stage: Stage;
  readonly #script: Script;
  readonly #schedule: ScheduleActions;
  /** Of runs that were begun by requests. */
  readonly runIds: string[] = [];
  readonly answers: string[] = [];

  constructor(stage: Stage, script: Script) {
    this.#stage = stage;
    this.#script = script;
    this.#schedule = new ScheduleActions(stage);
  }

  /** From the start of the run until no run of it is open. */
  async play(): Promise<void> {
    await this.#start();
    for (const outside of this.#script.outside ?? []) {
      for (const moment of outside.when ?? []) await this.#waitFor(moment);
      this.answers.push(`${outside.act}: ${await this.#answer(outside)}`);
    }
    await this.#waitFor({ closed: true });
  }

  async #answer(outside: Outside): Promise<string> {
    try {
      if (outside.act === 'schedule') return await this.#schedule.act(outside);
      if (outside.act === 'resetRun') return await this.#resetRun(outside);
      if (!isOfCrew(outside)) return await this.#act(outside);
      await this.#stage[outside.act]();
      return 'done';
    } catch (error) {
      return errorText(error, this.#stage.workflowId);
    }
  }

  get #handle(): WorkflowHandle<typeof scripted> {
    return this.#stage.client.workflow.getHandle<typeof scripted>(this.#stage.workflowId);
  }

  async #act(action: Exclude<Action, CrewAction | ScheduleAction | ResetAction>): Promise<string> {
    switch (action.act) {
      case 'signal':
        await this.#signal(action);
        return 'done';
      case 'query':
        return JSON.stringify(await this.#handle.query(action.name));
      case 'update':
        return await this.#update(action);
      case 'cancel':
      case 'terminate':
        await this.#handle[action.act]();
        return 'done';
      case 'describe':
        return await this.#describe();
      case 'reset':
        return await this.#reset(action.label);
      case 'start':
      case 'signalWithStart':
        return await this.#startAgain(action);
    }
  }

  async #signal({ name, ofRun }: { name: string; ofRun?: 'first' }): Promise<void> {
    const { client, workflowId } = this.#stage;
    const runId = ofRun === 'first' ? this.runIds[0] : undefined;
    await client.workflow.getHandle(workflowId, runId).signal(name);
  }

  async #update({ name, id }: UpdateAction): Promise<string> {
    const { client, workflowId } = this.#stage;
    const options = { args: [name] as [string], ...(id !== undefined && { updateId: id }) };
    return await client.workflow.getHandle(workflowId).executeUpdate(name, options);
  }

  async #start(): Promise<void> {
    const { client, workflowId, taskQueue } = this.#stage;
    const { steps, start = {} } = this.#script;
    const { executionTimeout, runTimeout, taskTimeout } = start;
    const handle = await client.workflow.start<typeof scripted>('scripted', {
      workflowId,
      taskQueue,
      args: [{ steps, log: [] }],
      ...(executionTimeout !== undefined && { workflowExecutionTimeout: executionTimeout }),
      ...(runTimeout !== undefined && { workflowRunTimeout: runTimeout }),
      ...(taskTimeout !== undefined && { workflowTaskTimeout: taskTimeout }),
      ...(start.retry && { retry: retryOf(start.retry) }),
    });
    this.runIds.push(handle.firstExecutionRunId);
  }

  async #startAgain(action: Extract<Action, { act: 'start' | 'signalWithStart' }>) {
    const { client, workflowId, taskQueue } = this.#stage;
    const options = { workflowId, taskQueue };
    if (action.act === 'signalWithStart') {
      const args: Parameters<typeof scripted> = [{ steps: action.steps ?? [], log: [] }];
      const signal = action.name;
      const handle = await client.workflow.signalWithStart('scripted', {
        ...options,
        args,
        signal,
      });
      return this.#isNew(handle.signaledRunId);
    }
    const { conflict, reuse } = action;
    const handle = await client.workflow.start<typeof scripted>('scripted', {
      ...options,
      args: [{ steps: [], log: [] }],
      ...(conflict && { workflowIdConflictPolicy: conflict }),
      ...(reuse && { workflowIdReusePolicy: reuse }),
    });
    return this.#isNew(handle.firstExecutionRunId);
  }

  #isNew(runId: string): string {
    if (this.runIds.includes(runId)) return 'the same run';
    this.runIds.push(runId);
    return 'a new run';
  }

  async #describe(): Promise<string> {
    const { raw, status, memo, typedSearchAttributes } = await this.#handle.describe();
    const activities = (raw.pendingActivities ?? []).map((activity) => {
      const { activityId, state, attempt, lastFailure, heartbeatDetails } = activity;
      const details = heartbeatDetails?.payloads?.map(({ data }) => String(data));
      return [activityId, state, attempt, lastFailure?.message, details ?? []] as const;
    });
    // The server lists them in no order.
    activities.sort(([one], [other]) => String(one).localeCompare(String(other)));
    return JSON.stringify([status.name, activities, memo, typedSearchAttributes.get(keys.State)]);
  }

  async #reset(label: string): Promise<string> {
    const { client, workflowId } = this.#stage;
    const { namespace } = client.options;
    await client.workflowService.resetActivity({ namespace, execution: { workflowId }, id: label });
    return 'done';
  }

  async #resetRun({ task, reapply }: ResetAction): Promise<string> {
    const { client, workflowId } = this.#stage;
    const { runId } = await this.#handle.describe();
    const types = await this.#stage.eventTypes(runId);
    const places = types.flatMap((type, place) => (type === taskCompleted ? [place] : []));
    const eventId = Long.fromNumber((places[task - 1] ?? -1) + 1);
    const workflowExecution = { workflowId };
    return this.#isNew(await resetRun(client, { workflowExecution, eventId, reapply }));
  }

  async #waitFor(moment: Moment): Promise<void> {
    if ('afterMs' in moment) return await this.#stage.sleep(moment.afterMs);
    const deadline = this.#stage.now() + longestWaitMs;
    while (!(await this.#holds(moment))) {
      if (this.#stage.now() > deadline) {
        await this.#handle.terminate('it never ended').catch(() => undefined);
        throw new Error(`${this.#script.name}: never ${JSON.stringify(moment)}`);
      }
      await this.#stage.sleep(pollMs);
    }
  }

  async #holds(moment: Exclude<Moment, { afterMs: number }>): Promise<boolean> {
    if ('started' in moment) {
      return this.#stage.notes.some(({ attempt }) => attempt === moment.started);
    }
    if ('schedule' in moment) return isSo(moment.schedule, await this.#schedule.counts());
    const { raw, runId, status } = await this.#handle.describe();
    if ('closed' in moment) {
      return status.name !== 'RUNNING' && status.name !== 'CONTINUED_AS_NEW';
    }
    if ('resting' in moment) return !raw.pendingWorkflowTask;
    if ('waiting' in moment) {
      return (raw.pendingActivities ?? []).some(
        ({ activityId, attempt, state }) =>
          activityId === moment.waiting &&
          attempt === moment.attempt &&
          state === PENDING_ACTIVITY_STATE_SCHEDULED,
      );
    }
    const types = await this.#stage.eventTypes(runId);
    return types.filter((type) => type === moment.event).length >= (moment.count ?? 1);
  }
}

function isSo(wanted: ScheduleCounts, found: ScheduleCounts | undefined): boolean {
  return found !== undefined && isDeepStrictEqual({ ...found, ...wanted }, found);
}

const crewActions = new Set<string>(['killWorker', 'stopWorker', 'startWorker']);

function isOfCrew(action: Outside): action is Outside & CrewAction {
  return crewActions.has(action.act);
}

/** With the ids of this run left out. */
export function errorText(error: unknown, workflowId: string): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isGrpcServiceError(cause) ? ` ${cause.code} ${cause.details}` : '';
  const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
  const text = isGrpcServiceError(error) ? error.message : describeFailure(error);
  return `${text}${code}`.replaceAll(workflowId, 'ID').replaceAll(uuid, 'RUN');
}
