/** Events on our objects: what happened, for `kubectl describe`. */
import { createHash } from 'node:crypto';
import type { EventSubject, EventText, Occurrence } from './event.ts';
import type { KubeClient } from '../client/client.ts';
import { isAlreadyExists, isNotFound } from '../client/errors.ts';
import { EventRecorder } from './event-recorder.ts';
import { namespaced } from '../client/paths.ts';
import { nowMs } from '../../activities/system/system.ts';

/** The API server's limits. */
const longestMessage = 1024;
const longestName = 253;

/** Of a client: what records an Event has that, and need not know of its recorder. */
const recorders = new WeakMap<KubeClient, EventRecorder>();

/**
 * Best effort, for after the change that it reports: returns at once and never throws, as no step
 * may fail or wait because an Event cannot be written. The recorder of this client writes it soon.
 */
export function recordEvent(client: KubeClient, subject: EventSubject, text: EventText): void {
  recorderOf(client).record({ subject, text, at: nowMs() });
}

/** From now on this recorder writes the Events that are recorded with `client`. */
export function recordWith(client: KubeClient, recorder: EventRecorder): void {
  recorders.set(client, recorder);
}

export function recorderOf(client: KubeClient): EventRecorder {
  const known = recorders.get(client);
  if (known) return known;
  const recorder = new EventRecorder({ write: (occurrence) => writeEvent(client, occurrence) });
  recordWith(client, recorder);
  return recorder;
}

/**
 * The same event of the same object is counted, not written again: its name is derived from what it
 * says, so that a retried step and a failure that lasts leave one Event.
 */
export async function writeEvent(
  client: KubeClient,
  { subject, text, at }: Occurrence,
): Promise<void> {
  const name = eventNameOf(subject, text);
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  try {
    await client.create(namespaced('events', subject.namespace), {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: subject.namespace },
      involvedObject: subject,
      type: text.type,
      reason: text.reason,
      message: text.message.slice(0, longestMessage),
      source: { component: text.component },
      reportingComponent: text.component,
      reportingInstance: text.component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await countAgain(client, namespaced('events', subject.namespace, name), time);
  }
}

async function countAgain(client: KubeClient, path: string, time: string): Promise<void> {
  try {
    const { count = 1 } = await client.get<{ count?: number }>(path);
    await client.patch(path, 'merge', { count: count + 1, lastTimestamp: time });
  } catch (error) {
    // It expired just now: the next occurrence is written anew.
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Name of an Event, with the beginning of a long name, up to a letter or digit: the API server
 * wants one before the dot.
 */
function eventNameOf({ name, uid }: EventSubject, { reason, message }: EventText): string {
  const digest = createHash('sha256').update(`${uid}/${reason}/${message}`).digest('hex');
  const suffix = `.${digest.slice(0, 16)}`;
  return name.slice(0, longestName - suffix.length).replace(/[^a-z0-9]+$/, '') + suffix;
}
