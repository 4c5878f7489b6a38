/** Manifests as a person would apply them. */
import { apiVersion } from '../../../workflows/api/constants.ts';
import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSpec } from '../../../workflows/api/machine.ts';

export const className = 'small';
export const secretName = 'small';

interface Named {
  namespace: string;
  name: string;
}

export function classManifest(
  { namespace, name }: Named,
  changes: { provider?: string; providerSpec?: object; secret?: string } = {},
): object {
  const { provider = 'virtual', providerSpec = {}, secret = secretName } = changes;
  return {
    apiVersion,
    kind: 'MachineClass',
    metadata: { name, namespace },
    provider,
    providerSpec,
    secretRef: { name: secret, namespace },
  };
}

export function secretManifest(
  { namespace, name }: Named,
  data: Record<string, string> = { userData: '#!/bin/true' },
): object {
  const metadata = { name, namespace };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData: data };
}

export function machineManifest({ namespace, name }: Named, spec: MachineSpec = {}): object {
  return {
    apiVersion,
    kind: 'Machine',
    metadata: { name, namespace, labels: { name } },
    spec: { class: { kind: 'MachineClass', name: className }, ...spec },
  };
}

export function deploymentManifest(
  { namespace, name }: Named,
  spec: Partial<MachineDeploymentSpec> = {},
): object {
  return {
    apiVersion,
    kind: 'MachineDeployment',
    metadata: { name, namespace, annotations: { 'example.com/team': 'infra' } },
    spec: {
      replicas: 3,
      minReadySeconds: 500,
      revisionHistoryLimit: 2,
      selector: { matchLabels: { name } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: { name } },
        spec: {
          class: { kind: 'MachineClass', name: className },
          nodeTemplate: {
            metadata: { labels: { pool: 'pool' }, annotations: { 'example.com/a': 'b' } },
            spec: { taints: [{ key: 'dedicated', value: 'pool', effect: 'NoSchedule' }] },
          },
        },
      },
      ...spec,
    },
  };
}
