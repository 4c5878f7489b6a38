/** The watcher from its start on: it signals what happens in both clusters. */
import { Fleet, isFleet } from './fleet/fleet.ts';
import { reportNotServed } from './fleet/report-not-served.ts';
import {
  createKubeClients,
  untilTemporalAnswers,
  waitsForServers,
  watchTemporal,
} from './kube/clients.ts';
import type { Outside } from './outside.ts';
import { untilIdentityKnown } from './temporal/identity.ts';
import { Leaders } from './process/leaderless.ts';
import type { Process } from './process/process.ts';
import type { TemporalReach } from './process/temporal-reach.ts';
import type { WatcherRole } from './watcher-role.ts';
import { openWatcherRole } from './watcher-role.ts';

export async function runWatcher(process: Process, outside: Outside): Promise<void> {
  const { config, log, shutdown, openHttp } = process;
  let leaders: Leaders | undefined;
  let reach: TemporalReach | undefined;
  let role: WatcherRole | undefined;
  let fleet: Fleet | undefined;
  let state = waitsForServers;
  const whyNotReady = (): string | undefined => {
    if (state !== '') return fleet?.whyNotSettled() ?? state;
    return role?.whyNotReady() ?? reach?.fault() ?? fleet?.fault();
  };
  const metrics = await openHttp({ whyNotReady, leaderFault: () => leaders?.fault() });
  const { registry } = metrics;
  const onReason = (reason = waitsForServers): void => void (state = reason);
  const waiting = { log, signal: shutdown.signal, onReason };

  const clients = createKubeClients(config, outside.kubeClient);
  shutdown.add('Kubernetes clients', () => clients.close());
  const identity = await untilIdentityKnown(clients, config, waiting);
  const temporal = await untilTemporalAnswers(config, waiting, outside.temporalClient);
  shutdown.add('Temporal client', () => temporal.connection.close());
  const onDatabase = (id: string): void => role?.noteDatabase(id);
  reach = watchTemporal(temporal, { config, shutdown, registry, onDatabase });
  leaders = new Leaders(registry, { isFleet: isFleet(config) });
  const servers = { clients, identity, temporal, registry, leaders };
  role = openWatcherRole(process, outside, servers);
  fleet = new Fleet({
    config,
    control: clients.control,
    log,
    registry,
    shutdown,
    serve: role.serve,
    onReason: (namespace, reason) =>
      reportNotServed(clients.control, config, { namespace, reason }),
  });
  await fleet.settled();
  state = '';
}
