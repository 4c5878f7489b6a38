/** The process of the virtual cloud. */
import { noNodes, type NodeRegistry } from './nodes.ts';
import { help, parseOptions, type Options } from './options.ts';
import { startVirtualCloud } from './virtual-cloud.ts';

function log(message: string): void {
  process.stdout.write(`${new Date().toISOString()} ${message}\n`);
}

async function nodesOf({ kubeconfig }: Options): Promise<NodeRegistry> {
  if (kubeconfig === undefined) return noNodes;
  // Only where it is needed: the client library takes its time to load.
  const [{ createKubeApi, reportingReach }, { createKubeNodes }] = await Promise.all([
    import('./kube-api.ts'),
    import('./kube-nodes.ts'),
  ]);
  return createKubeNodes(reportingReach(await createKubeApi(kubeconfig), log));
}

async function run(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  const { host, port, dataDir } = options;
  const nodes = await nodesOf(options);
  const cloud = await startVirtualCloud({ host, port, dataDir, nodes, log });
  const end = (): void => {
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
