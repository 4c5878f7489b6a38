/** What a cluster has for machines that join by TLS bootstrap. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { StackWorld } from '../components/world.ts';
import { host } from '../supervision/ports.ts';
import { versions } from '../versions.ts';
import type { Manifest } from './rights.ts';

/**
 * As kubeadm binds them: who comes with a bootstrap token asks for the certificate of a Node, and
 * gets it without a person; a Node renews its own. The roles are Kubernetes' own.
 */
export function rightsOfKubelets(): Manifest[] {
  const approved = 'system:certificates.k8s.io:certificatesigningrequests';
  return [
    binding('kubelet-bootstrap', 'system:node-bootstrapper', 'system:bootstrappers'),
    binding('node-autoapprove-bootstrap', `${approved}:nodeclient`, 'system:bootstrappers'),
    binding('node-autoapprove-rotation', `${approved}:selfnodeclient`, 'system:nodes'),
  ];
}

function binding(name: string, role: string, group: string) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `local-stack:${name}` },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, kind: 'Group', name: group }],
  };
}

/** Of the Service network of the API server. No DNS server runs in the stack. */
const clusterDNS = ['10.96.0.10'];

export const userDataConfig = 'user-data';

/** What `millwright.dev/user-data-config: user-data` names: this cluster, for its machines. */
export function userDataConfigMap({ layout, ports, options }: StackWorld) {
  const kubernetes = {
    version: versions.kubernetes,
    apiServer: `https://${host}:${ports.kubeApiserver}`,
    caBundle: readFileSync(join(layout.pki, 'ca.crt'), 'utf8'),
    clusterDNS,
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: userDataConfig, namespace: options.namespace },
    data: { 'config.yaml': stringify({ kubernetes }) },
  };
}
