/**
 * The ConfigMap `millwright-stop`: while it stands, nothing is created and nothing is destroyed. It
 * is watched, so that every process knows within a second or so and no action needs a read.
 */
import type { KubeClient, KubeObject } from '../client/client.ts';
import { namespaced } from '../client/paths.ts';
import type { NotedPause } from './pauses.ts';
import { bounded } from './pauses.ts';
import { Reflector } from '../cache/reflector.ts';
import { nowMs } from '../../system/system.ts';

export const stopName = 'millwright-stop';

export interface StopObject extends KubeObject {
  data?: Record<string, string>;
}

export interface Stop {
  uid: string;
  reason: string;
  /** What the person who made it says of themselves. */
  by?: string;
  /** Milliseconds. */
  since: number;
}

/** What everybody but its owner needs of it. */
export interface StopView {
  current(): Stop | undefined;
}

export interface GlobalStop extends StopView {
  /** Fulfilled after the first read: no activity may act before. */
  readonly synced: Promise<void>;
  /** The stops that this process saw. */
  pauses(): NotedPause[];
  close(): Promise<void>;
}

export interface GlobalStopOptions {
  client: KubeClient;
  namespace: string;
  /** A stop begins, changes or ends. */
  onChange?(stop: Stop | undefined): void;
  /** Called for each failed read; it goes on by itself. */
  onError(error: unknown): void;
}

export function watchGlobalStop(options: GlobalStopOptions): GlobalStop {
  const { client, namespace, onChange, onError } = options;
  let current: Stop | undefined;
  let ended: NotedPause[] = [];

  const reflector = new Reflector({
    client,
    path: namespaced('configmaps', namespace),
    query: { fieldSelector: `metadata.name=${stopName}` },
    transform: (object: StopObject) => ({
      name: object.metadata.name,
      resourceVersion: object.metadata.resourceVersion,
      ...stopOf(object),
    }),
    onChange({ type, object }) {
      const { uid, reason, by, since } = object;
      const now = nowMs();
      if (type === 'gone')
        ended = bounded([...ended, { reason: 'stop', from: since, until: now }], now);
      current =
        type === 'gone' ? undefined : { uid, reason, since, ...(by !== undefined && { by }) };
      onChange?.(current);
    },
    onError,
  });
  return {
    synced: reflector.synced,
    current: () => current,
    pauses: () => (current ? [...ended, { reason: 'stop', from: current.since }] : ended),
    close: () => reflector.stop(),
  };
}

export function stopOf({ metadata, data = {} }: StopObject): Stop {
  const by = oneLine(data['by']);
  return {
    uid: metadata.uid,
    reason: oneLine(data['reason']) || 'no reason given',
    ...(by !== '' && { by }),
    since: Date.parse(metadata.creationTimestamp),
  };
}

/** It stands in Events, failures and logs. */
const longestText = 300;

function oneLine(text = ''): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, longestText);
}

/** For people, wherever something does not happen. */
export function formatStop(namespace: string, { reason, by }: Stop): string {
  const author = by === undefined ? '' : ` (${by})`;
  return `stopped by ConfigMap ${namespace}/${stopName}: ${reason}${author}; delete it to go on`;
}
