import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { host } from '../supervision/ports.ts';
import { type Component, fewerCollections } from './component.ts';
import type { StackWorld } from './world.ts';

export function kubeApiserver(world: StackWorld): Component {
  const { binary, ports } = world;
  return {
    name: 'kube-apiserver',
    needs: ['etcd'],
    address: `https://${host}:${ports.kubeApiserver}`,
    ports: [ports.kubeApiserver],
    command: async () => ({
      file: binary('kube-apiserver'),
      args: apiserverArgs(world),
      env: fewerCollections,
    }),
    isReady: () => isReady(world),
  };
}

/**
 * Without credentials, as the probes of kubeadm. The answer is plain text, which a client of the
 * API does not take.
 */
function isReady({ layout, ports }: StackWorld): Promise<boolean> {
  const options = {
    ca: readFileSync(join(layout.pki, 'ca.crt')),
    signal: AbortSignal.timeout(5_000),
  };
  return new Promise((resolve) => {
    const notYet = (): void => resolve(false);
    get(`https://${host}:${ports.kubeApiserver}/readyz`, options, (response) => {
      response.resume().on('error', notYet);
      resolve(response.statusCode === 200);
    }).on('error', notYet);
  });
}

function apiserverArgs(world: StackWorld): string[] {
  const { layout, ports } = world;
  const pki = (name: string): string => join(layout.pki, name);
  return [
    `--etcd-servers=http://${host}:${ports.etcdClient}`,
    `--bind-address=${host}`,
    `--advertise-address=${host}`,
    `--secure-port=${ports.kubeApiserver}`,
    `--tls-cert-file=${pki('apiserver.crt')}`,
    `--tls-private-key-file=${pki('apiserver.key')}`,
    `--client-ca-file=${pki('ca.crt')}`,
    `--token-auth-file=${layout.tokens}`,
    '--enable-bootstrap-token-auth',
    `--service-account-issuer=https://kubernetes.default.svc`,
    `--service-account-key-file=${pki('sa.pub')}`,
    `--service-account-signing-key-file=${pki('sa.key')}`,
    // As in production: who comes as a kubelet writes its own Node, and neither its taints nor the
    // labels of Kubernetes.
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    // Pods are admitted at once instead of waiting for the default service account of a new
    // namespace.
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    '--service-cluster-ip-range=10.96.0.0/16',
    // On loopback the reconciler can only fail, with an error line every few seconds.
    '--endpoint-reconciler-type=none',
    // One machine, friendly clients: the tests put load on it that these would hold back.
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=0',
    '--max-mutating-requests-inflight=0',
    ...auditArgs(world),
  ];
}

function auditArgs({ options, layout }: StackWorld): string[] {
  if (!options.audit) return [];
  return [
    `--audit-policy-file=${join(import.meta.dirname, '../cluster/audit-policy.yaml')}`,
    `--audit-log-path=${layout.logOf('audit')}`,
    // One file, however long: the benchmarks count its lines.
    '--audit-log-maxsize=100000',
  ];
}
