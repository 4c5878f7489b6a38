/** The lifecycle of a machine, as Temporal has kept it. */
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { connectTo } from '../../workers/kube/clients.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { requireOwn } from '../connection/temporal-options.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import type { ReadPayload } from './history.ts';
import { messageOf, stepsOf } from './history.ts';
import type { Lifecycle, Step } from './step.ts';
import { merged } from './step.ts';

/** To connect, and for each answer. */
const patienceMs = 5_000;
/** Some megabytes, perhaps by a slow way. */
const historyMs = 30_000;
/** A run goes on for some thousand events; more runs than these are not read. */
const runsMax = 50;
/** A signal that comes later is of another machine of the same name. */
const lateMs = 60_000;

/**
 * Undefined where Temporal knows nothing of it. Throws when it does not answer. `cluster`: see
 * `requireOwn`.
 */
export async function lifeInTemporal(
  workflowId: string,
  options: TemporalOptions,
  cluster: string | undefined,
): Promise<Lifecycle | undefined> {
  const settings = temporalSettingsOf(options, process.env);
  const connection = await connectTo(settings, { connectMs: patienceMs });
  try {
    const { dataConverter } = dataConverterOf(settings);
    const client = new Client({
      connection,
      namespace: settings.namespace,
      ...(dataConverter && { dataConverter }),
    });
    const description = await orGone(
      within(client, () => client.workflow.getHandle(workflowId).describe()),
    );
    if (!description) return undefined;
    requireOwn(description, cluster, settings);
    return await readLife(client, { description, read: readerOf(dataConverter) });
  } finally {
    await connection.close();
  }
}

async function readLife(
  client: Client,
  { description, read }: { description: WorkflowExecutionDescription; read: ReadPayload },
): Promise<Lifecycle> {
  const { workflowId } = description;
  const steps: Step[] = [];
  const notes: string[] = [];
  let runId: string | undefined = description.runId;
  let from = description.startTime.getTime();
  let runs = 0;
  while (runId !== undefined && runs < runsMax) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const history = await orGone(within(client, () => handle.fetchHistory(), historyMs));
    if (!history) {
      notes.push('Temporal has deleted the runs before: what came first is not known.');
      break;
    }
    const run = await stepsOf(history.events ?? [], read);
    steps.unshift(...run.steps);
    from = run.startedAt;
    runs += 1;
    runId = run.before ?? (await runJustBefore(client, workflowId, run.startedAt));
  }
  if (runs === runsMax && runId !== undefined)
    notes.push(`Only the last ${runsMax} runs are read.`);
  return {
    from,
    until: description.closeTime?.getTime(),
    state: stateOf(description),
    source: 'Temporal',
    runs,
    steps: merged(await withPending(closed(steps, description), description, read)),
    notes,
  };
}

/** Without a limit a call waits for ever where a server takes connections and answers nothing. */
async function within<Answer>(
  client: Client,
  ask: () => Promise<Answer>,
  milliseconds = patienceMs,
): Promise<Answer> {
  return await client.withDeadline(Date.now() + milliseconds, ask);
}

/** A late signal begins a run that finds the machine gone: the run before it has all steps. */
async function runJustBefore(
  client: Client,
  workflowId: string,
  startedAt: number,
): Promise<string | undefined> {
  const runs = client.workflow.list({ query: `WorkflowId="${workflowId}"` });
  return await within(client, async () => {
    for await (const run of runs) {
      const gap = startedAt - (run.closeTime?.getTime() ?? Infinity);
      if (gap >= 0 && gap < lateMs) return run.runId;
    }
    return undefined;
  });
}

/** What a run left open when the next one began is over then. */
function closed(steps: readonly Step[], description: WorkflowExecutionDescription): Step[] {
  const over = description.closeTime?.getTime() ?? Infinity;
  const current = description.startTime.getTime();
  return steps.map((step) => {
    const limit = step.start < current ? current : over;
    return step.end === undefined && limit !== Infinity ? { ...step, end: limit } : step;
  });
}

/** The attempts of an activity that is not over do not stand in the history. */
async function withPending(
  steps: readonly Step[],
  { raw }: WorkflowExecutionDescription,
  read: ReadPayload,
): Promise<Step[]> {
  const pending = raw.pendingActivities ?? [];
  const seen = steps.map(async (step) => {
    if (step.kind !== 'activity' || step.end !== undefined) return step;
    const found = pending.find(({ activityType }) => activityType?.name === step.name);
    if (!found) return step;
    const failure = await messageOf(found.lastFailure, read);
    return { ...step, attempts: found.attempt ?? 1, ...(failure && { failure }) };
  });
  return await Promise.all(seen);
}

function stateOf({ status, searchAttributes }: WorkflowExecutionDescription): string {
  const [state] = searchAttributes['State'] ?? [];
  return status.name === 'RUNNING' ? String(state ?? 'running') : status.name.toLowerCase();
}

export function readerOf(dataConverter: DataConverter | undefined): ReadPayload {
  const [codec] = dataConverter?.payloadCodecs ?? [];
  return async (payload) => {
    try {
      const [plain = payload] = codec ? await codec.decode([payload]) : [payload];
      return defaultPayloadConverter.fromPayload(plain);
    } catch {
      // Encrypted with keys that are not given: the step is shown without its words.
      return undefined;
    }
  };
}

async function orGone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
