/**
 * The ConfigMap `millwright-stop`: while it stands, nothing is created and nothing is destroyed. It
 * is watched, so that every process knows within a second or so and no action needs a read.
 */
import type { KubeClient, KubeObject } from '../client/client.ts';
import { namespaced } from '../client/paths.ts';
import type { NotedPause } from './pauses.ts';
import { bounded } from './pauses.ts';
import { Reflector } from '../cache/reflector.ts';
import { isForbidden } from '../client/errors.ts';
import { monotonicMs, nowMs } from '../../activities/system/system.ts';

export const stopName = 'millwright-stop';

export interface StopObject extends KubeObject {
  data?: Record<string, string>;
}

export interface Stop {
  uid: string;
  reason: string;
  /** Name that the person who made it gives: it is not checked. */
  by?: string;
  /** Milliseconds. */
  since: number;
}

/** The part of it that all others than its owner need. */
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
  /**
   * Where roles may not grant to read it: refused for three seconds it counts as absent, until it
   * can be read. Called once, and `onError` is not called for refusals. Default: it is waited for.
   */
  onForbidden?(error: unknown): void;
}

/** An API server that has just started refuses for a moment what it allows then. */
const refusedForMs = 3_000;

export function watchGlobalStop(options: GlobalStopOptions): GlobalStop {
  const { client, namespace, onChange } = options;
  const refusals = new Refusals(options);
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
    onError: (error) => refusals.note(error),
  });
  return {
    synced: Promise.race([reflector.synced, refusals.tolerated]),
    current: () => current,
    pauses: () => (current ? [...ended, { reason: 'stop', from: current.since }] : ended),
    close: () => reflector.stop(),
  };
}

/** Refused reads of the stop, as no role grants them. */
class Refusals {
  /** Fulfilled when refusals have lasted. */
  readonly tolerated: Promise<void>;
  readonly #options: Pick<GlobalStopOptions, 'onError' | 'onForbidden'>;
  #since: number | undefined;
  #isTolerated = false;
  #tolerate: () => void = () => undefined;

  constructor(options: Pick<GlobalStopOptions, 'onError' | 'onForbidden'>) {
    this.#options = options;
    this.tolerated = new Promise((resolve) => {
      this.#tolerate = resolve;
    });
  }

  note(error: unknown): void {
    const { onError, onForbidden } = this.#options;
    if (onForbidden === undefined || !isForbidden(error)) {
      this.#since = undefined;
      return onError(error);
    }
    this.#since ??= monotonicMs();
    if (this.#isTolerated || monotonicMs() - this.#since < refusedForMs) return;
    this.#isTolerated = true;
    onForbidden(error);
    this.#tolerate();
  }
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
