import { join } from 'node:path';
import { freeLeasesOfKwok } from '../cluster/kwok-leases.ts';
import { host } from '../supervision/ports.ts';
import { answersOk, type Component } from './component.ts';
import { nodeLeaseSeconds } from './kube-controllers.ts';
import type { StackWorld } from './world.ts';

export function kwok({ api, binary, layout, ports }: StackWorld): Component {
  const address = `http://${host}:${ports.kwok}`;
  return {
    name: 'kwok',
    needs: ['kube-apiserver'],
    address,
    ports: [ports.kwok],
    command: async () => {
      await freeLeasesOfKwok(api);
      return {
        file: binary('kwok'),
        args: [
          `--kubeconfig=${layout.kubeconfigOf('kwok')}`,
          `--config=${join(import.meta.dirname, '../cluster/kwok-stages.yaml')}`,
          '--manage-all-nodes=false',
          '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
          `--node-lease-duration-seconds=${nodeLeaseSeconds}`,
          '--cidr=10.0.0.0/16',
          '--node-ip=10.0.0.1',
          `--server-address=${host}:${ports.kwok}`,
          '--v=WARN',
        ],
      };
    },
    isReady: () => answersOk(`${address}/healthz`),
  };
}
