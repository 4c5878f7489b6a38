/** A host cluster: a second real API server, with our controller in KubeVirt's place. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../../kube/client/client.ts';
import { aSpec, kubeconfigOf } from '../../../activities/drivers/kubevirt/kubevirt-world.ts';
import { hostController, type VirtualMachine } from '../../../doubles/kubevirt/controller.ts';
import { startHostCluster } from '../../../doubles/kubevirt/host-cluster.ts';
import type { PoolCloud, PoolCloudCase } from './pool-on-cloud.ts';

export const kubevirt: PoolCloudCase = { provider: 'kubevirt', start };

async function start(): Promise<PoolCloud> {
  const cluster = await startHostCluster();
  const { client, namespace, token, url, ca } = cluster;
  const controller = hostController(client, namespace);
  const stopped = new AbortController();
  const play = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await controller.step();
      await sleep(200);
    }
  };
  const end = play();
  const paths = [
    `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`,
    `/api/v1/namespaces/${namespace}/secrets`,
    `/apis/cdi.kubevirt.io/v1beta1/namespaces/${namespace}/datavolumes`,
  ];
  const [machines = ''] = paths;
  return {
    env: {},
    providerSpec: aSpec,
    otherSpec: { ...aSpec, dnsPolicy: 'Default' },
    secret: {
      kubeconfig: kubeconfigOf({ server: url, ca }, { token }, namespace),
      userData: '#!/bin/sh',
    },
    async nodes() {
      const { items } = await client.list<VirtualMachine>(machines);
      return items
        .filter(({ status }) => status?.printableStatus === 'Running')
        .map(({ metadata: { name } }) => ({ providerID: `kubevirt://${name}`, name }));
    },
    async living() {
      const lists = await Promise.all(paths.map((path) => client.list<KubeObject>(path)));
      return lists.flatMap(({ items }) => items).map(({ metadata }) => metadata.name);
    },
    async stop() {
      stopped.abort();
      await end;
      await cluster[Symbol.asyncDispose]();
    },
  };
}
