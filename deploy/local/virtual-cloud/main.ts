/** The process of the virtual cloud. */
import { Disks } from './machine/disks.ts';
import { noNodes } from './nodes.ts';
import { help, parseOptions, type CloudOptions } from './options.ts';
import { startVirtualCloud } from './virtual-cloud.ts';

function log(message: string): void {
  process.stdout.write(`${new Date().toISOString()} ${message}\n`);
}

/** The cluster of the machines. `play`: their kubelets begin. Returns what ends them. */
async function clusterOf({ kubeconfig, dataDir }: CloudOptions) {
  if (kubeconfig === undefined) return { nodes: noNodes, play: () => () => {} };
  // Only where it is needed: the client takes its time to load.
  const [{ createClusterClient }, { createKubeNodes }, { playKubelets }] = await Promise.all([
    import('./kube-client.ts'),
    import('./kube-nodes.ts'),
    import('./kubelets/kubelets.ts'),
  ]);
  const client = createClusterClient(kubeconfig, log);
  return {
    nodes: createKubeNodes(client, new Disks(dataDir)),
    play: () => playKubelets(client, log),
  };
}

async function run(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  const { host, port, dataDir } = options;
  const { nodes, play } = await clusterOf(options);
  const cloud = await startVirtualCloud({ host, port, dataDir, nodes, log });
  // After it: of two processes one does not get the port.
  const endKubelets = play();
  const end = (): void => {
    endKubelets();
    cloud.close().catch(fail);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  log(`virtual cloud at ${cloud.url}, ${cloud.machineCount} machines`);
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

run().catch(fail);
