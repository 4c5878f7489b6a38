/**
 * The Temporal side of one scenario: which workflows there are, and what stands in their histories.
 */
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import type {
  ScheduleHandle,
  WorkflowExecutionInfo,
  WorkflowHandle,
  WorkflowStartOptions,
} from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import Long from 'long';
import { eventually } from '../../support/eventually.ts';
import { resetRun, type Reapply } from '../../support/reset-run.ts';
import { failedTasksOf, wasBrokenBySdk, type RecordedRun } from './histories.ts';
import { scheduleIdOf, workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { type Kind } from '../../../workflows/contracts/references.ts';

interface WorkflowMetadata {
  currentDetails?: string;
}

/** Workflows that stand for an object, without those of the checks. */
export const ofObjects = 'WorkflowType IN ("machine", "machineSet", "machineDeployment")';

const mostAttempts = 6;

interface Reading {
  /** `--cluster-name` of the operator. */
  clusterName?: string | undefined;
  /** `--install` of the fleet that serves the namespace, if one does. */
  fleet?: string | undefined;
  dataConverter?: DataConverter | undefined;
}

export class WorkflowRecords {
  readonly #namespace: string;
  readonly #clusterName: string | undefined;
  /** Of the fleet that serves the namespace, if one does. */
  readonly #fleet: string | undefined;
  readonly #connection: Connection;
  readonly #client: Client;
  /** Undefined where payloads are plain. */
  readonly dataConverter: DataConverter | undefined;

  constructor(
    namespace: string,
    address: string,
    { clusterName, fleet, dataConverter }: Reading = {},
  ) {
    this.#namespace = namespace;
    this.#fleet = fleet;
    this.#clusterName = clusterName;
    this.dataConverter = dataConverter;
    this.#connection = Connection.lazy({ address });
    this.#client = new Client({
      connection: this.#connection,
      ...(dataConverter && { dataConverter }),
    });
  }

  /**
   * Workflows of the namespace for which the query holds, e.g. `State="Running"`. Open and closed
   * ones.
   */
  async list(query?: string): Promise<WorkflowExecutionInfo[]> {
    const ours = `KubeNamespace="${this.#namespace}"`;
    const found: WorkflowExecutionInfo[] = [];
    const pages = this.#client.workflow.list({ query: query ? `${ours} and ${query}` : ours });
    for await (const info of pages) found.push(info);
    return found;
  }

  /** Of all namespaces. */
  async count(query: string): Promise<number> {
    return (await this.#client.workflow.count(query)).count;
  }

  /** Ids of those that run, sorted. */
  async running(query = ''): Promise<string[]> {
    const isRunning = 'ExecutionStatus="Running"';
    const found = await this.list(query === '' ? isRunning : `${isRunning} and ${query}`);
    return found.map(({ workflowId }) => workflowId).toSorted();
  }

  /** All runs with their histories. */
  async runs(): Promise<RecordedRun[]> {
    const found = await this.list();
    return await Promise.all(
      found.map(async ({ workflowId, runId, status }) => {
        const handle = this.#client.workflow.getHandle(workflowId, runId);
        return { workflowId, status: status.name, history: await handle.fetchHistory() };
      }),
    );
  }

  /**
   * `id: status` of the runs that ended otherwise than by completing, and of how many of them the
   * SDK broke.
   */
  async endedBadly(): Promise<{ endings: string[]; brokenBySdk: string[] }> {
    const ended = await this.list(
      'ExecutionStatus IN ("Failed", "Canceled", "Terminated", "TimedOut")',
    );
    const judged = await Promise.all(
      ended.map(async ({ workflowId, runId, status }) => ({
        text: `${workflowId}: ${status.name}`,
        isBySdk: status.name === 'FAILED' && (await this.#wasBrokenBySdk(workflowId, runId)),
      })),
    );
    const textsOf = (isBySdk: boolean): string[] =>
      judged.filter((one) => one.isBySdk === isBySdk).map(({ text }) => text);
    return { endings: textsOf(false), brokenBySdk: textsOf(true) };
  }

  async #wasBrokenBySdk(workflowId: string, runId: string): Promise<boolean> {
    const handle = this.#client.workflow.getHandle(workflowId, runId);
    return wasBrokenBySdk(await handle.fetchHistory());
  }

  /** What the completed runs of a type returned. */
  async resultsOf<T>(type: string): Promise<T[]> {
    const done = await this.list(`WorkflowType="${type}" and ExecutionStatus="Completed"`);
    return await Promise.all(
      done.map(async ({ workflowId, runId }): Promise<T> => {
        return await this.#client.workflow.getHandle(workflowId, runId).result();
      }),
    );
  }

  /** Events of each running workflow, by id, and run: an idle one gets none. */
  async eventCounts(): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { workflowId, runId } of await this.list('ExecutionStatus="Running"')) {
      const { historyLength } = await this.#client.workflow.getHandle(workflowId, runId).describe();
      counts[`${workflowId} ${runId}`] = historyLength;
    }
    return counts;
  }

  /**
   * To signal, update and query the workflow of an object, as an operator does:
   * `handleOf('machineDeployment', pool).signal('pause')`.
   */
  handleOf(kind: Kind, name: string): WorkflowHandle {
    return this.#client.workflow.getHandle(this.#idOf(kind, name));
  }

  /** A run that the watcher knows nothing of. */
  async start(type: string, options: WorkflowStartOptions): Promise<WorkflowHandle> {
    return await this.#client.workflow.start(type, options);
  }

  /** What the Temporal UI shows of a workflow without being asked. */
  async pageOf(kind: Kind, name: string): Promise<{ summary: string; details: string }> {
    const handle = this.#client.workflow.getHandle(this.#idOf(kind, name));
    const description = await handle.describe();
    const metadata: WorkflowMetadata = await handle.query('__temporal_workflow_metadata');
    return {
      summary: (await description.staticSummary()) ?? '',
      details: metadata.currentDetails ?? '',
    };
  }

  /** Last failure of each pending activity of a workflow, by type. */
  async pendingFailures(kind: Kind, name: string): Promise<Record<string, string>> {
    const { raw } = await this.#client.workflow.getHandle(this.#idOf(kind, name)).describe();
    return Object.fromEntries(
      (raw.pendingActivities ?? []).map(({ activityType, lastFailure }) => [
        activityType?.name ?? '',
        lastFailure?.message ?? '',
      ]),
    );
  }

  /** Of a scheduled check, e.g. `orphans`. */
  scheduleOf(check: string): ScheduleHandle {
    const fleetNamespace = this.#fleet === undefined ? {} : { fleetNamespace: this.#namespace };
    const name = this.#fleet ?? this.#namespace;
    const install = { name, clusterName: this.#clusterName, ...fleetNamespace };
    return this.#client.schedule.getHandle(scheduleIdOf(check, install));
  }

  /** A run of a scheduled check. */
  runOf(workflowId: string): WorkflowHandle {
    return this.#client.workflow.getHandle(workflowId);
  }

  /**
   * What keeps workflows from going on: tasks that failed, other than because news came in between,
   * and steps that were tried again and again.
   */
  async troubles(): Promise<string[]> {
    const troubles = (await this.runs()).flatMap(failedTasksOf);
    for (const { workflowId, runId } of await this.list()) {
      const words = await endlessStepsOf(this.#client.workflow.getHandle(workflowId, runId));
      troubles.push(...words.map((text) => `${workflowId}: ${text}`));
    }
    return troubles;
  }

  /**
   * Makes the blocked drain of a machine try again at once, as the button "Reset" does. Resolves
   * when it has, and rests again.
   */
  async resetDrain(name: string): Promise<void> {
    const workflowId = this.#idOf('machine', name);
    const before = await this.#untilDrainRests(workflowId, '');
    const { namespace } = this.#client.options;
    const execution = { workflowId };
    const request = { namespace, execution, identity: 'test', type: 'drainNode' };
    await this.#client.workflowService.resetActivity(request);
    await this.#untilDrainRests(workflowId, before);
  }

  /**
   * After another attempt than the one that ended at this time. Returns when the last one ended.
   */
  async #untilDrainRests(workflowId: string, before: string): Promise<string> {
    return await eventually(`the drain of ${workflowId} waits for its next attempt`, async () => {
      const { raw } = await this.#client.workflow.getHandle(workflowId).describe();
      const drain = raw.pendingActivities?.find(({ activityType }) => {
        return activityType?.name === 'drainNode';
      });
      const endedAt = JSON.stringify(drain?.lastAttemptCompleteTime);
      if (!drain?.nextAttemptScheduleTime || endedAt === before) {
        throw new Error(`state ${drain?.state}, last attempt ended at ${endedAt}`);
      }
      return endedAt;
    });
  }

  /** The first pending activity of a workflow: of one that drains, the drain. */
  async pendingAttempt(kind: Kind, name: string) {
    const { raw } = await this.#client.workflow.getHandle(this.#idOf(kind, name)).describe();
    const [pending] = raw.pendingActivities ?? [];
    if (!pending) throw new Error(`${name}: no activity is pending`);
    return pending;
  }

  /** Everything that stands in the histories of all workflows of the scenario, as text. */
  async allHistories(): Promise<string> {
    const texts: string[] = [];
    for (const { workflowId, runId } of await this.list()) {
      const handle = this.#client.workflow.getHandle(workflowId, runId);
      texts.push(...textsIn(await handle.fetchHistory()));
    }
    return texts.join('\n');
  }

  /** As the server keeps it: of the last run of an object's workflow. */
  async historyOf(kind: Kind, name: string): Promise<History> {
    return await this.#client.workflow.getHandle(this.#idOf(kind, name)).fetchHistory();
  }

  /** As the button "Request Cancellation" does. */
  async cancel(workflowId: string): Promise<void> {
    await this.#client.workflow.getHandle(workflowId).cancel();
  }

  /** As if Temporal had never known of the run, whether or not it has ended. */
  async forget({ workflowId, runId }: WorkflowExecutionInfo): Promise<void> {
    await this.#client.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId, runId },
    });
  }

  async terminate(workflowId: string): Promise<void> {
    await this.#client.workflow.getHandle(workflowId).terminate('the scenario is over');
  }

  /** The tasks that a run can be reset to, by their last event. */
  async tasksOf(workflowId: string): Promise<string[]> {
    const { events } = await this.#client.workflow.getHandle(workflowId).fetchHistory();
    const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    return tasks.map(({ eventId }) => String(eventId));
  }

  /** As the button "Reset" does. */
  async reset(workflowId: string, eventId: string, reapply: Reapply): Promise<void> {
    const workflowExecution = { workflowId };
    await resetRun(this.#client, { workflowExecution, eventId: Long.fromString(eventId), reapply });
  }

  /** They outlive the operator that made them. Those of its cluster are for all scenarios. */
  async releaseClaims({ cluster, install }: { cluster: string; install: string }): Promise<void> {
    const own = [
      `claim/install/${cluster}/${install}`,
      `claim/namespace/${cluster}/${this.#namespace}`,
      ...(this.#clusterName === undefined ? [] : [`claim/ids/${this.#clusterName}`]),
    ];
    for (const workflowId of own) {
      try {
        await this.terminate(workflowId);
      } catch (error) {
        // An operator that never started has none.
        if (!(error instanceof WorkflowNotFoundError)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #idOf(kind: Kind, name: string): string {
    return workflowIdOf(kind, { namespace: this.#namespace, name }, this.#clusterName);
  }
}

async function endlessStepsOf(handle: WorkflowHandle): Promise<string[]> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? [])
    .filter(({ attempt }) => (attempt ?? 0) > mostAttempts)
    .map(({ activityType: type, attempt, lastFailure }) => {
      return `${type?.name} was tried ${attempt} times: ${lastFailure?.message}`;
    });
}

/** All texts in a history, payloads included: these are bytes. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (ArrayBuffer.isView(value))
    return [Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
