/** Reads what the workflow of an object says of itself. */
import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { LoadedDataConverter } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { connectTo } from '../../workers/kube/clients.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { failureMessageOf } from '../connection/temporal-failure.ts';
import { OtherClusterError, requireOwn } from '../connection/temporal-options.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import type { ActivityAttempt, WorkflowFacts } from './explanation.ts';

/** A person who waits longer than this has the answer elsewhere. */
const patienceMs = 3_000;
/** A query needs a worker. */
const queryPatienceMs = 2_000;

export interface WorkflowRead {
  facts: WorkflowFacts | undefined;
  notes: string[];
}

/** `cluster`: see `requireOwn`. */
export async function readWorkflowFacts(
  workflowId: string,
  options: TemporalOptions,
  cluster: string | undefined,
): Promise<WorkflowRead> {
  const settings = temporalSettingsOf(options, process.env);
  try {
    const connection = await connectTo(settings, { connectMs: patienceMs });
    try {
      const { namespace } = settings;
      const client = new Client({ connection, namespace, ...dataConverterOf(settings) });
      return await factsOf(client, workflowId, (run) => requireOwn(run, cluster, settings));
    } finally {
      await connection.close();
    }
  } catch (error) {
    const message = `Temporal at ${settings.address} does not answer: ${reasonOf(error)}`;
    const isOther = error instanceof OtherClusterError;
    return { facts: undefined, notes: [isOther ? error.message : message] };
  }
}

async function factsOf(
  client: Client,
  workflowId: string,
  require: (description: WorkflowExecutionDescription) => void,
): Promise<WorkflowRead> {
  const handle = client.workflow.getHandle(workflowId);
  const description = await described(client, handle);
  if (!description) {
    return { facts: undefined, notes: [`Temporal knows no workflow ${workflowId}.`] };
  }
  require(description);
  const { status, raw } = description;
  const isOpen = status.name === 'RUNNING';
  const page = isOpen ? await pageOf(client, handle) : undefined;
  const { loadedDataConverter } = client.options;
  const attempts = await Promise.all(
    (raw.pendingActivities ?? []).map((pending) => attemptOf(pending, loadedDataConverter)),
  );
  return {
    facts: { workflowId, status: status.name, page, attempts },
    notes:
      isOpen && page === undefined
        ? ['No worker answers for its workflow, so its page is not known.']
        : [],
  };
}

async function described(
  client: Client,
  handle: WorkflowHandle,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.connection.withDeadline(Date.now() + patienceMs, () => handle.describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

type Pending = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

export async function attemptOf(
  pending: Pending,
  converter: LoadedDataConverter,
): Promise<ActivityAttempt> {
  const { activityType, attempt, lastFailure, scheduledTime } = pending;
  const nextAt = optionalTsToMs(scheduledTime);
  const lastError = await failureMessageOf(converter, lastFailure);
  return {
    step: activityType?.name ?? 'activity',
    attempt: attempt ?? 1,
    ...(nextAt !== undefined && { nextAt }),
    ...(lastError && { lastError }),
  };
}

interface Metadata {
  currentDetails?: string;
}

/** Undefined where no worker answers, or its payloads cannot be read. */
async function pageOf(client: Client, handle: WorkflowHandle): Promise<string[] | undefined> {
  try {
    const metadata = await client.connection.withDeadline(Date.now() + queryPatienceMs, () =>
      handle.query<Metadata>('__temporal_workflow_metadata'),
    );
    return linesOf(metadata.currentDetails ?? '');
  } catch {
    return undefined;
  }
}

/**
 * Without what marks it up, and without its commands and the console of the instance, which
 * `explain` has itself.
 */
export function linesOf(page: string): string[] {
  const [facts = ''] = page.split('\n\nWhat you can do');
  return facts
    .split('\n')
    .filter((line) => line.startsWith('- ') && !line.endsWith(':'))
    .map((line) => line.slice(2).replaceAll(/\*\*|`/g, ''));
}
