/** Which Events a process could not write: counted, and now and then logged. */
import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { KubeClient } from '../../kube/client/client.ts';
import type { DropReason } from '../../kube/objects/event-recorder.ts';
import { dropReasons, EventRecorder } from '../../kube/objects/event-recorder.ts';
import { recordWith, writeEvent } from '../../kube/objects/events.ts';
import type { ClientSource, CreateClient, KubeClients } from './clients.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { monotonicMs } from '../../activities/system/system.ts';

export interface EventRecorders {
  /** Writes what is waiting, within a limit. */
  close(): Promise<void>;
}

export interface RecorderParts {
  config: Pick<Config, 'control' | 'target' | 'kubeApi' | 'component'>;
  clients: KubeClients;
  log: Pick<Logger, 'warn'>;
  registry: Registry;
  createClient: CreateClient;
}

/** Of the time that a process has for its end. */
const flushMs = 2_000;

/** Of the clusters that the process has for all its namespaces, and of more. */
export interface ProcessRecorders extends EventRecorders {
  /** Events that are written with this client get connections of their own. */
  open(client: KubeClient, source: ClientSource): EventRecorders;
}

/** Events of both clusters get connections of their own. */
export function createEventRecorders(parts: RecorderParts): ProcessRecorders {
  const { clients, config, createClient } = parts;
  const { control, target } = config;
  const onDropped = createDropReport(parts);
  const recorder = (client: KubeClient, source: ClientSource): EventRecorders =>
    recorderFor(client, createClient(source, config), onDropped);
  const all = [recorder(clients.control, control)];
  const isShared = target !== 'none' && target.kind !== 'secret';
  if (clients.target && clients.target !== clients.control && isShared) {
    all.push(recorder(clients.target, target));
  }
  return {
    open: recorder,
    close: async () => void (await Promise.all(all.map((one) => one.close()))),
  };
}

type DropReport = (reason: DropReason, error?: unknown) => void;

function recorderFor(client: KubeClient, own: KubeClient, onDropped: DropReport): EventRecorders {
  const recorder = new EventRecorder({
    write: (occurrence) => writeEvent(own, occurrence),
    onDropped,
  });
  recordWith(client, recorder);
  return {
    async close() {
      await recorder.close(flushMs);
      await own.close();
    },
  };
}

/** A lasting refusal is one line in the log in ten minutes for each reason. */
const quietMs = 600_000;

export function createDropReport({
  log,
  registry,
}: Pick<RecorderParts, 'log' | 'registry'>): DropReport {
  const dropped = new Counter({
    name: 'millwright_events_dropped_total',
    help: 'Kubernetes Events that were not written; the work that they report on went on.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of dropReasons) dropped.inc({ reason }, 0);
  const loggedAt = new Map<DropReason, number>();
  return (reason, err) => {
    dropped.inc({ reason });
    const now = monotonicMs();
    if (now - (loggedAt.get(reason) ?? -Infinity) < quietMs) return;
    loggedAt.set(reason, now);
    log.warn({ err, reason }, 'Events are not written (see millwright_events_dropped_total)');
  };
}
