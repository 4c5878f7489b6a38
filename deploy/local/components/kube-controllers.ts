import { get } from 'node:https';
import { join } from 'node:path';
import { host } from '../supervision/ports.ts';
import type { Component } from './component.ts';
import type { StackWorld } from './world.ts';

/**
 * The controllers that a machine's life meets. Without `disruption` every eviction under a budget
 * is refused; without `node-lifecycle` the taint that admission puts on new nodes stays for ever;
 * without those of CSRs no machine joins by its bootstrap token.
 */
const controllers = [
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'taint-eviction-controller',
];

/** The kubelets of the virtual cloud renew a Lease every minute. */
const nodeGraceSeconds = 180;

export function kubeControllerManager({ binary, layout, ports }: StackWorld): Component {
  return {
    name: 'kube-controller-manager',
    needs: ['kube-apiserver'],
    address: `https://${host}:${ports.controllerManager}`,
    ports: [ports.controllerManager],
    command: async () => ({
      file: binary('kube-controller-manager'),
      args: [
        ...commonArgs(layout.kubeconfigOf('kube-controller-manager'), ports.controllerManager),
        `--controllers=${controllers.join(',')}`,
        '--use-service-account-credentials=false',
        `--service-account-private-key-file=${join(layout.pki, 'sa.key')}`,
        `--root-ca-file=${join(layout.pki, 'ca.crt')}`,
        `--cluster-signing-cert-file=${join(layout.pki, 'ca.crt')}`,
        `--cluster-signing-key-file=${join(layout.pki, 'ca.key')}`,
        `--node-monitor-grace-period=${nodeGraceSeconds}s`,
      ],
    }),
    isReady: () => isHealthy(ports.controllerManager),
  };
}

export function kubeScheduler({ binary, layout, ports }: StackWorld): Component {
  return {
    name: 'kube-scheduler',
    needs: ['kube-apiserver'],
    address: `https://${host}:${ports.scheduler}`,
    ports: [ports.scheduler],
    command: async () => ({
      file: binary('kube-scheduler'),
      args: commonArgs(layout.kubeconfigOf('kube-scheduler'), ports.scheduler),
    }),
    isReady: () => isHealthy(ports.scheduler),
  };
}

function commonArgs(kubeconfig: string, port: number): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--bind-address=${host}`,
    `--secure-port=${port}`,
    // There is only one of each, and a lease would make a restarted one wait.
    '--leader-elect=false',
    '--kube-api-qps=5000',
    '--kube-api-burst=10000',
  ];
}

/** `/healthz` needs no credentials; the certificate is one that the server made up for itself. */
function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host, port, path: '/healthz', rejectUnauthorized: false, timeout: 2_000 };
    const call = get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
  });
}
