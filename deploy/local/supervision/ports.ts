import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export const host = '127.0.0.1';

/** Of all services of one server. */
export const temporalServerPorts = [
  'temporal',
  'temporalHttp',
  'temporalMetrics',
  'temporalPprof',
  'temporalHistory',
  'temporalMatching',
  'temporalInternalWorker',
  'temporalFrontendMembership',
  'temporalHistoryMembership',
  'temporalMatchingMembership',
  'temporalInternalWorkerMembership',
] as const;

const names = [
  'kubeApiserver',
  ...temporalServerPorts,
  'temporalUi',
  'postgresql',
  'etcdClient',
  'etcdPeer',
  'controllerManager',
  'scheduler',
  'virtualCloud',
  'watcher',
  'worker',
  'secondWatcher',
  'secondWorker',
  'thirdWorker',
  'fourthWorker',
  'front',
  'clusterAutoscaler',
  'prometheus',
] as const;

export type PortName = (typeof names)[number];

/** Where each server of the stack listens. */
export type Ports = Record<PortName, number>;

/** The ports that people know. All others are whatever is free. */
const wellKnownPorts: Partial<Ports> = {
  kubeApiserver: 6443,
  temporal: 7233,
  temporalUi: 8233,
};

/** The outside: whether a port can be listened on, and some port that can. */
export interface PortWorld {
  isFree: (port: number) => Promise<boolean>;
  anyFree: () => Promise<number>;
}

/**
 * Chooses all ports: the one of the last run if it is free, else the well-known one, else any.
 * `taken` names the wished ports that another program holds.
 */
export async function choosePorts(
  previous: Partial<Ports>,
  world: PortWorld,
): Promise<{ ports: Ports; taken: { name: PortName; port: number }[] }> {
  const ports: Partial<Ports> = {};
  const taken: { name: PortName; port: number }[] = [];
  const used = new Set<number>();
  for (const name of names) {
    const wishes = [previous[name], wellKnownPorts[name]].filter((port) => port !== undefined);
    const port = await firstFree(wishes, used, world);
    const [wish] = wishes;
    if (wish !== undefined && wish !== port) taken.push({ name, port: wish });
    ports[name] = port;
    used.add(port);
  }
  if (!isComplete(ports)) throw new Error('A port was left out');
  return { ports, taken };
}

function isComplete(ports: Partial<Ports>): ports is Ports {
  return names.every((name) => ports[name] !== undefined);
}

async function firstFree(wishes: number[], used: Set<number>, world: PortWorld): Promise<number> {
  for (const wish of wishes) {
    if (!used.has(wish) && (await world.isFree(wish))) return wish;
  }
  for (;;) {
    const port = await world.anyFree();
    if (!used.has(port)) return port;
  }
}

export const localPorts: PortWorld = {
  isFree: async (port) => (await listen(port)) !== undefined,
  anyFree: async () => {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const port = randomInt(firstStablePort, firstEphemeralPort);
      if (await localPorts.isFree(port)) return port;
    }
    throw new Error(`No free port on ${host} from ${firstStablePort} to ${firstEphemeralPort - 1}`);
  },
};

/**
 * Below the range from which Linux and macOS take the near end of an outgoing connection: one of
 * those could hold the port of a killed server for as long as it lasts.
 */
const firstStablePort = 16_384;
const firstEphemeralPort = 32_768;

/** Listens for a moment. The port that it got, or undefined when another program has it. */
function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(got));
    });
  });
}

/**
 * A killed server can keep its port for seconds. Throws when one of the ports stays taken for 30 s.
 */
export async function untilFree(ports: readonly number[], signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (const port of ports) {
    while (!(await localPorts.isFree(port))) {
      if (Date.now() > deadline) throw new Error(`Port ${port} is still taken after 30 s`);
      await delay(100, undefined, { signal });
    }
  }
}
