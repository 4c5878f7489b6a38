/** The driver against a host cluster: a real API server, and a controller of ours. */
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { createKubevirtDriver } from '../../../../activities/drivers/kubevirt/driver.ts';
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import type { KubeObject } from '../../../../kube/client/client.ts';
import { hostController, type HostController } from '../../../doubles/kubevirt/controller.ts';
import { startHostCluster, type HostCluster } from '../../../doubles/kubevirt/host-cluster.ts';
import { aRequest } from '../a-request.ts';
import { followed } from '../following.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';
import { quick } from '../small-clouds.ts';

/** What a class needs at least. */
export const aSpec = {
  region: 'default',
  zone: 'default',
  resources: { requests: { cpu: 2, memory: '4Gi' } },
  rootVolume: {
    pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
    source: { http: { url: 'https://images.example.com/node.qcow2' } },
  },
  tags: { 'mcm.gardener.cloud/cluster': 'shoot--dev', 'mcm.gardener.cloud/role': 'node' },
};

export const userData = '#cloud-config\npassword: canary-of-user-data\n';

/** Nothing waits for time: what is not done yet is pending at once. */
const impatient = { ...quick, waitSeconds: 0 };

export const settings: DriverSettings = { env: {}, allowsAmbientCredentials: false };

export const aDriver = (
  limits: RestDriverLimits = {},
  more: Partial<DriverSettings> = {},
): Driver => createKubevirtDriver({ ...settings, ...more }, { ...impatient, ...limits });

export interface KubevirtWorld {
  cluster: HostCluster;
  controller: HostController;
  /** In front of the API server. */
  proxy: FaultProxy;
  driver: Driver;
  /** A request of a Machine whose kubeconfig leads through the proxy. */
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** As the workflow does with a call that is pending, and KubeVirt goes on meanwhile. */
  over: <T>(call: (more: { checkpoint?: string }) => Promise<T>) => Promise<T>;
  /** KubeVirt goes on for as long as the call lasts. */
  during: <T>(call: Promise<T>) => Promise<T>;
  machines: (name?: string) => Promise<KubeObject[]>;
  /** VirtualMachines, Secrets and DataVolumes of a Machine, in words. */
  left: (name: string) => Promise<string[]>;
}

/** `ca`: PEM. */
export function kubeconfigOf(
  { server, ca }: { server: string; ca?: string },
  user: object,
  namespace?: string,
): string {
  const authority = ca && { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'host',
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'machines', namespace } }],
    clusters: [{ name: 'host', cluster: { server, ...authority } }],
    users: [{ name: 'machines', user }],
  });
}

/** For all tests of a file. */
export async function aKubevirtWorld(): Promise<KubevirtWorld> {
  const cluster = await startHostCluster();
  const { client, namespace, token } = cluster;
  const proxy = await startFaultProxy(cluster.url, cluster.ca);
  const controller = hostController(client, namespace);
  afterEach(() => proxy.clear());
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });
  const secret = { kubeconfig: kubeconfigOf({ server: proxy.url }, { token }, namespace) };
  const listOf = async (path: string): Promise<KubeObject[]> =>
    (await client.list<KubeObject>(path)).items;
  const inNamespace = `namespaces/${namespace}`;
  const paths = [
    `/apis/kubevirt.io/v1/${inNamespace}/virtualmachines`,
    `/api/v1/${inNamespace}/secrets`,
    `/apis/cdi.kubevirt.io/v1beta1/${inNamespace}/datavolumes`,
  ] as const;
  return {
    cluster,
    controller,
    proxy,
    driver: aDriver(),
    request: (name, more) => aRequest(name, { providerSpec: aSpec, secret, userData, ...more }),
    async over(call) {
      const steps: Promise<void>[] = [];
      const answer = await followed(
        async (more) => {
          await Promise.all(steps.splice(0));
          return await call(more);
        },
        () => void steps.push(controller.step()),
      );
      return answer.answer;
    },
    async during(call) {
      const over = new AbortController();
      const end = call.finally(() => over.abort());
      end.catch(() => undefined);
      while (!over.signal.aborted) await controller.step();
      return await end;
    },
    async machines(name) {
      const all = await listOf(paths[0]);
      return all.filter(({ metadata }) => name === undefined || metadata.name === name);
    },
    async left(name) {
      const all = (await Promise.all(paths.map(listOf))).flat();
      return all
        .filter(({ metadata }) => metadata.labels?.['kubevirt.io/vm'] === name)
        .map(({ metadata, kind = 'object' }) => `${kind} ${metadata.name}`);
    },
  };
}
