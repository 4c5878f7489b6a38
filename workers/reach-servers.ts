/** Connects a process that runs workflows to both clusters, their Events, and Temporal. */
import type { Registry } from 'prom-client';
import { createKubeClients, untilTemporalAnswers } from './kube/clients.ts';
import type { Waiting } from './kube/clients.ts';
import { createEventRecorders } from './kube/event-recorders.ts';
import type { WorkerOutside } from './outside.ts';
import type { Process } from './process/process.ts';
import { untilIdentityKnown } from './temporal/identity.ts';

/** Resolves when all of them answer; each is closed with the process. */
export async function reachServers(
  { config, log, shutdown }: Pick<Process, 'config' | 'log' | 'shutdown'>,
  outside: Pick<WorkerOutside, 'kubeClient' | 'eventClient' | 'temporalClient'>,
  { registry, waiting }: { registry: Registry; waiting: Waiting },
) {
  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const createClient = outside.eventClient;
  const events = createEventRecorders({ config, clients, log, registry, createClient });
  shutdown.add('Events', () => events.close());
  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  return { clients, identity, events, temporal };
}
