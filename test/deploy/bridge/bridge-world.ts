/** The bridge for drivers of MCM as a process, with all that it talks to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asker } from '../../../cli/driver/conformance/temporal.ts';
import { startAsker } from '../../../cli/driver/conformance/temporal.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { createKubeClient } from '../../../kube/client/http-client.ts';
import { HttpApiServer } from '../../support/api-server/http-api-server.ts';
import { aMachineClass, aSecret, namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/mcm-processes.ts';
import { startTroubledCloud, type TroubledCloud } from '../../e2e/support/troubled-cloud.ts';
import { aCloud, type TestCloud } from '../virtual-cloud/a-cloud.ts';

export const provider = 'bridged';
/** What the names of its task queues begin with. */
export const queue = 'millwright/bridge/driver/bridged';
export const providerSpec = { size: 'medium', zone: 'b', tags: { pool: 'bridged' } };
/** Its user data and its password must stand in no answer. */
export const secret = { userData: 'join with canary-user-data', password: 'canary-password' };

interface Process {
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export class BridgeWorld {
  readonly #folder = mkdtempSync(join(tmpdir(), 'millwright-bridge-'));
  readonly #servers: Process[] = [];
  #address = '';
  #bridge: Process | undefined;
  cloud!: TestCloud;
  /** What the bridge takes for the cloud. */
  troubled!: TroubledCloud;
  api!: HttpApiServer;
  kube!: KubeClient;
  asker!: Asker;

  async start(): Promise<void> {
    this.cloud = await aCloud();
    this.troubled = await startTroubledCloud(this.cloud.url);
    this.api = await HttpApiServer.start();
    this.kube = createKubeClient({ kubeConfig: this.api.kubeConfig, userAgent: 'test' });
    this.api.put(aMachineClass({ provider, providerSpec }));
    this.api.put(aSecret(secret));
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await this.kube.create(leases, aLease);
    this.#address = `127.0.0.1:${await freePort()}`;
    const [ip = '', port = ''] = this.#address.split(':');
    const flags = ['server', 'start-dev', '--headless', '--ip', ip, '--port', port];
    this.#servers.push(this.#spawn('temporal', [await preparedBinary('temporal'), ...flags]));
    this.asker = await eventually('Temporal answers', async () => {
      const connection = { address: this.#address };
      const settings = { ...connection, namespace: 'default', connection, files: [] };
      return await startAsker(settings, 'bridge');
    });
    await this.startBridge();
  }

  async startBridge(): Promise<void> {
    const kubeconfig = join(this.#folder, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(this.api)));
    this.#bridge = this.#spawn('bridge', [await preparedBinary('bridge-mcm-driver')], {
      KUBECONFIG: kubeconfig,
      TEMPORAL_ADDRESS: this.#address,
      MILLWRIGHT_VIRTUAL_CLOUD: this.troubled.url,
      MILLWRIGHT_DRIVER_QUEUES: ['create', 'delete', 'read']
        .map((call) => `${queue}/${call}`)
        .join(' '),
    });
  }

  async killBridge(): Promise<void> {
    await this.#bridge?.kill('SIGKILL');
    this.#bridge = undefined;
  }

  /** What the bridge and Temporal have said. */
  logOf(name: 'bridge' | 'temporal'): string {
    return readFileSync(join(this.#folder, `${name}.log`), 'utf8');
  }

  async stop(): Promise<void> {
    await this.#bridge?.kill('SIGTERM');
    await this.asker.close();
    for (const server of this.#servers) await server.kill('SIGTERM');
    await this.kube.close();
    await this.api.stop();
    await this.troubled.stop();
    await this.cloud.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** The shell waits on our pipe: no process outlives a test run that was killed. */
  #spawn(name: string, command: string[], env: Record<string, string> = {}): Process {
    const log = openSync(join(this.#folder, `${name}.log`), 'a');
    const script =
      '"$0" "$@" & child=$!; read -r signal; kill -s "${signal:-KILL}" $child; wait $child';
    const child = spawn('sh', ['-c', script, ...command], {
      stdio: ['pipe', log, log],
      env: { ...process.env, ...env },
    });
    closeSync(log);
    return {
      async kill(signal) {
        const ended = once(child, 'exit');
        child.stdin?.end(`${signal.slice('SIG'.length)}\n`);
        await ended;
      },
    };
  }
}

const aLease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'millwright', namespace },
  // Held for longer than any test takes.
  spec: { holderIdentity: 'watcher', renewTime: '2999-01-01T00:00:00.000000Z' },
};

function kubeconfigOf({ kubeConfig }: HttpApiServer): object {
  const { server } = kubeConfig.cluster;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  };
}
