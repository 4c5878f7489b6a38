/** Steps of the histories of a workflow. */
import type { WorkflowHandle } from '@temporalio/client';
import { machineVerbs } from '../../workflows/api/command-verbs.ts';
import type { Step } from './step.ts';

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
export type ReadPayload = (payload: Payload) => Promise<unknown>;

/** Of one run. */
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
export async function messageOf(
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

/** What people send; what the watcher signals is seen by what comes of it. */
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
