/** The Events about one object. */
import type { KubeClient } from '../../kube/client/client.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type { FoundObject } from '../diagnosis/finding.ts';
import { timeOf } from '../install/times.ts';
import type { SeenEvent } from './explanation.ts';

interface EventObject {
  metadata: { creationTimestamp: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  series?: { count?: number; lastObservedTime?: string } | null;
  involvedObject: { kind: string };
}

/** The latest last. */
export async function readEvents(
  kube: KubeClient,
  { kind, namespace = 'default', name }: FoundObject,
): Promise<SeenEvent[]> {
  const query = { fieldSelector: `involvedObject.name=${name}` };
  const { items } = await kube.list<EventObject>(namespaced('events', namespace), query);
  return items
    .filter(({ involvedObject }) => involvedObject.kind.toLowerCase() === kind)
    .map(seenOf)
    .toSorted((a, b) => a.at - b.at);
}

function seenOf(event: EventObject): SeenEvent {
  const { type = 'Normal', reason = '', message = '', count = 1, series } = event;
  const at =
    timeOf(series?.lastObservedTime) ??
    timeOf(event.lastTimestamp) ??
    timeOf(event.metadata.creationTimestamp) ??
    0;
  return { at, type, reason, message, count: series?.count ?? count };
}
