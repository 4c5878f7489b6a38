/** The lifecycle of a machine, as Temporal has kept it. */
import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { defaultPayloadConverter } from '@temporalio/common';
import { connectTo } from '../../workers/kube/clients.ts';
import { dataConverterOf } from '../../workers/payloads/data-converter.ts';
import { requireOwn } from '../connection/temporal-options.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { temporalSettingsOf } from '../connection/temporal.ts';
import type { Lifecycle, Step } from './step.ts';
import { merged } from './step.ts';
import { machineVerbs } from '../../workflows/api/command-verbs.ts';

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
    steps: merged(await withPending(withEnds(steps, description), description, read)),
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

/** Ends what a run left open when the next one began. */
function withEnds(steps: readonly Step[], description: WorkflowExecutionDescription): Step[] {
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

export type HistoryEvent = NonNullable<
  Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']
>[number];

type Payload = NonNullable<NonNullable<NonNullable<HistoryEvent['userMetadata']>['summary']>>;

interface ReadHistory {
  steps: Step[];
  startedAt: number;
  /** The run that this one goes on from. */
  before: string | undefined;
}

/** Reads the text in a payload; undefined where it cannot. */
type ReadPayload = (payload: Payload) => Promise<unknown>;

/** Reads one run. */
export async function stepsOf(
  events: readonly HistoryEvent[],
  read: ReadPayload,
): Promise<ReadHistory> {
  const steps = new Map<string, Step>();
  let before: string | undefined;
  for (const event of events) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) before = started.continuedExecutionRunId || undefined;
    await begin(event, { steps, read });
    await close(event, { steps, read });
  }
  const [first] = events;
  return { steps: [...steps.values()], startedAt: first ? timeOf(first) : 0, before };
}

interface Reading {
  steps: Map<string, Step>;
  read: ReadPayload;
}

async function begin(event: HistoryEvent, { steps, read }: Reading): Promise<void> {
  const id = String(event.eventId);
  const start = timeOf(event);
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled) {
    const name = scheduled.activityType?.name ?? 'activity';
    steps.set(id, { kind: 'activity', name, start, times: 1 });
  }
  if (event.timerStartedEventAttributes) {
    const name = await textIn(event.userMetadata?.summary, read);
    steps.set(id, { kind: 'wait', name: name ?? 'a timer', start, times: 1 });
  }
  const marker = await localActivityIn(event, read);
  if (marker) steps.set(id, marker);
  const name = commandIn(event);
  if (name !== undefined) steps.set(id, { kind: 'moment', name, start, end: start, times: 1 });
}

async function close(event: HistoryEvent, { steps, read }: Reading): Promise<void> {
  const at = timeOf(event);
  const started = event.activityTaskStartedEventAttributes;
  if (started)
    note(steps.get(String(started.scheduledEventId)), { attempts: started.attempt ?? 1 });
  const closed =
    event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes;
  if (closed) note(steps.get(String(closed.scheduledEventId)), { end: at });
  const timer = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
  if (timer) note(steps.get(String(timer.startedEventId)), { end: at });
  const failed =
    event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  if (!failed) return;
  const failure = (await messageOf(failed.failure, read)) ?? 'failed';
  note(steps.get(String(failed.scheduledEventId)), { end: at, failure });
}

interface AnyFailure {
  message?: string | null;
  cause?: AnyFailure | null;
  encodedAttributes?: Payload | null;
}

/** Around the failure of an activity stands that it failed. Messages may be encrypted. */
async function messageOf(
  failure: AnyFailure | null | undefined,
  read: ReadPayload,
): Promise<string | undefined> {
  const inner = failure?.cause?.message ? failure.cause : failure;
  const encoded = inner?.encodedAttributes;
  const { message }: { message?: unknown } = Object(encoded ? await read(encoded) : undefined);
  return typeof message === 'string' ? message : inner?.message || undefined;
}

function note(step: Step | undefined, news: Partial<Step>): void {
  if (step) Object.assign(step, news);
}

/** Names what people send; what the watcher signals is seen by what comes of it. */
const commands = new Set<string>([...machineVerbs, 'instanceMissing']);

function commandIn(event: HistoryEvent): string | undefined {
  const signal = event.workflowExecutionSignaledEventAttributes?.signalName;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.name;
  const name = signal ?? update;
  return name && commands.has(name) ? name : undefined;
}

interface LocalActivity {
  activity_type?: string;
  attempt?: number;
  complete_time?: { seconds: number; nanos: number };
  original_schedule_time?: { seconds: number; nanos: number };
}

/** In the form of the marker of sdk-core, which is not encrypted. */
async function localActivityIn(event: HistoryEvent, read: ReadPayload): Promise<Step | undefined> {
  const marker = event.markerRecordedEventAttributes;
  const [payload] = marker?.details?.['data']?.payloads ?? [];
  if (marker?.markerName !== 'core_local_activity' || !payload) return undefined;
  const failure = await messageOf(marker.failure, read);
  const step = writeOf(Object(await read(payload)), timeOf(event));
  return failure === undefined ? step : { ...step, failure };
}

function writeOf(data: LocalActivity, at: number): Step {
  const { activity_type: name = 'a write', attempt: attempts = 1 } = data;
  const start = protoTime(data.original_schedule_time, at);
  const end = protoTime(data.complete_time, at);
  return { kind: 'write', name, start, end, attempts, times: 1 };
}

function protoTime(time: LocalActivity['complete_time'], otherwise: number): number {
  return time ? time.seconds * 1_000 + Math.floor(time.nanos / 1e6) : otherwise;
}

async function textIn(
  payload: Payload | null | undefined,
  read: ReadPayload,
): Promise<string | undefined> {
  const text = payload ? await read(payload) : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1e6);
}
