/** Puts the parts together. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { Cloud } from './cloud.ts';
import { CallCounters } from './counters.ts';
import type { Happening } from './happenings.ts';
import { createHttpServer } from './http-server.ts';
import type { Instance } from './instance.ts';
import { openJournal } from './journal.ts';
import { Ledger } from './ledger.ts';
import { Lives } from './lives.ts';
import { Disks } from './machine/disks.ts';
import type { NodeRegistry } from './nodes.ts';
import { createRoutes, type ApiRequest } from './routes.ts';
import type { Answer } from './answers.ts';

export interface VirtualCloudOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Folder of the records. One process at a time. */
  dataDir: string;
  nodes: NodeRegistry;
  /** A line for the log. */
  log: (message: string) => void;
}

export interface VirtualCloud {
  url: string;
  /** Machines that were there from an earlier life. */
  machineCount: number;
  close(): Promise<void>;
}

export async function startVirtualCloud(options: VirtualCloudOptions): Promise<VirtualCloud> {
  const ledger = new Ledger();
  let handle: (request: ApiRequest) => Answer = notServing;
  const server = createHttpServer({
    handle: (request) => handle(request),
    callMilliseconds: () => ledger.settings.callMilliseconds,
    onError: (error) => options.log(`call failed: ${textOf(error)}`),
  });
  // The port goes first: it keeps a second process away from the journal.
  const port = await listen(server, options);
  const { handler, journal, lives } = openOrClose(server, () => openRecords(options, ledger));
  handle = handler;
  const machineCount = ledger.living.size;
  lives.resume(ledger.instances.values());
  return {
    url: `http://${options.host}:${port}`,
    machineCount,
    async close() {
      server.close();
      server.closeAllConnections();
      await lives.close();
      await options.nodes.close();
      // Calls that were under way are written already; none comes after this.
      handle = notServing;
      journal.close();
    },
  };
}

/** A server that is left open would keep the process alive. */
function openOrClose<T>(server: Server, open: () => T): T {
  try {
    return open();
  } catch (error) {
    server.close();
    throw error;
  }
}

function openRecords({ dataDir, nodes, log }: VirtualCloudOptions, ledger: Ledger) {
  const counters = new CallCounters();
  const { journal, droppedBytes } = openJournal(dataDir, (entry) => {
    ledger.apply(entry);
    counters.apply(entry);
  });
  const disks = new Disks(dataDir);
  disks.eraseAllBut((id) => isBooting(ledger.living.get(id)));
  const record = (happening: Happening): void => {
    cloud.record(happening);
    // What is on it is a secret, and needed no more.
    if (happening.type === 'joined' || happening.type === 'nodeStopped') disks.erase(happening.id);
  };
  const lives = new Lives({
    nodes,
    record,
    onError: ({ id, name }, error) => log(`instance ${id} (${name}): ${textOf(error)}`),
  });
  const cloud = new Cloud({
    journal,
    ledger,
    counters,
    disks,
    onCreated: (instance) => lives.begin(instance),
    onDeleted: (instance) => lives.delete(instance),
  });
  record({ type: 'started', droppedBytes });
  return { handler: createRoutes({ cloud, journal, ledger, counters }), journal, lives };
}

const isBooting = (instance: Instance | undefined): boolean =>
  instance !== undefined && instance.nodeUid === undefined;

function notServing(): never {
  throw new Error('The virtual cloud is starting or ending.');
}

async function listen(server: Server, { host, port }: VirtualCloudOptions): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
