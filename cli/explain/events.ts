/** The Events about one object. */
import type { KubeClient } from '../../activities/kube/client/client.ts';
import { namespaced } from '../../activities/kube/client/paths.ts';
import type { FoundObject } from '../diagnosis/finding.ts';
import { timeOf } from '../diagnosis/times.ts';
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

function seenOf({ metadata, type, reason, message, count, lastTimestamp, series }: EventObject) {
  return {
    at:
      timeOf(series?.lastObservedTime) ??
      timeOf(lastTimestamp) ??
      timeOf(metadata.creationTimestamp) ??
      0,
    type: type ?? 'Normal',
    reason: reason ?? '',
    message: message ?? '',
    count: series?.count ?? count ?? 1,
  };
}
