/** Events on our objects: what happened, for `kubectl describe`. */
import { createHash } from 'node:crypto';
import type { KubeClient } from './client.ts';
import { isAlreadyExists, isNotFound } from './errors.ts';
import { namespaced } from './paths.ts';

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export interface EventText {
  type: 'Normal' | 'Warning';
  /** UpperCamelCase. */
  reason: string;
  message: string;
  /** Source component; MCM's names where MCM emits the event. */
  component: string;
}

/** The API server's limit. */
const longestMessage = 1024;

/**
 * The same event of the same object is counted, not written again: its name is derived from what it says, so that a retried
 * step and a failure that lasts leave one Event.
 */
export async function recordEvent(
  client: KubeClient,
  subject: EventSubject,
  text: EventText,
): Promise<void> {
  const name = `${subject.name}.${digestOf(subject.uid, text)}`;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
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
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await countAgain(client, namespaced('events', subject.namespace, name), now);
  }
}

async function countAgain(client: KubeClient, path: string, now: string): Promise<void> {
  try {
    const { count = 1 } = await client.get<{ count?: number }>(path);
    await client.patch(path, 'merge', { count: count + 1, lastTimestamp: now });
  } catch (error) {
    // It expired just now: the next occurrence is written anew.
    if (!isNotFound(error)) throw error;
  }
}

function digestOf(uid: string, { reason, message }: EventText): string {
  return createHash('sha256').update(`${uid}/${reason}/${message}`).digest('hex').slice(0, 16);
}
