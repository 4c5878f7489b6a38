/** Objects of theirs, as people and machine-controller write them. */
import type {
  KubermaticMachineDeployment,
  KubermaticMachineTemplate,
} from '../../../workflows/api/kubermatic.ts';
import { front, kubermaticApiVersion } from '../../../workflows/api/kubermatic-names.ts';

export const namespace = 'kube-system';
export const pool = 'pool';
const hashLabel = 'machine-template-hash';

export function aTheirTemplate(
  spec: Record<string, unknown> = {},
  { labels = { app: 'pool' } }: { labels?: Record<string, string> } = {},
): KubermaticMachineTemplate {
  return {
    metadata: { labels },
    spec: {
      providerSpec: {
        value: {
          cloudProvider: 'fake',
          cloudProviderSpec: { passValidation: true },
          operatingSystem: 'ubuntu',
          operatingSystemSpec: {},
          ...spec,
        },
      },
      versions: { kubelet: '1.34.2' },
    },
  };
}

export interface TheirDeployment {
  metadata?: Partial<KubermaticMachineDeployment['metadata']>;
  spec?: Partial<KubermaticMachineDeployment['spec']>;
}

export function aTheirDeployment({ metadata, spec }: TheirDeployment = {}): object {
  return {
    apiVersion: kubermaticApiVersion,
    kind: 'MachineDeployment',
    metadata: { name: pool, namespace, ...metadata },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'pool' } },
      template: aTheirTemplate(),
      ...spec,
    },
  };
}

/** As machine-controller leaves a pool with an old set; two machines by default. */
export function anOldPool({ isTakenOver = false, replicas = 2 } = {}): object[] {
  const deployment = Object(
    aTheirDeployment({
      metadata: {
        uid: 'uid-of-theirs',
        ...(isTakenOver && { annotations: { [front.takeOver]: 'true' } }),
      },
    }),
  );
  const old = aTheirTemplate({ caPublicKey: 'old' });
  return [
    deployment,
    ...anOldSet('old', { replicas: 0, template: old, revision: '1' }),
    ...anOldSet('new', { replicas, template: aTheirTemplate(), revision: '2' }),
  ];
}

function anOldSet(
  hash: string,
  {
    replicas,
    template,
    revision,
  }: { replicas: number; template: KubermaticMachineTemplate; revision: string },
): object[] {
  const name = `${pool}-${hash}`;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const apiVersion = kubermaticApiVersion;
  const owner = (kind: string, owning: string, uid: string) => ({
    ownerReferences: [{ apiVersion, kind, name: owning, uid, controller: true }],
  });
  const set = {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      labels,
      annotations: { 'machinedeployment.clusters.k8s.io/revision': revision },
      ...owner('MachineDeployment', pool, 'uid-of-theirs'),
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { labels } },
    },
  };
  const machines = Array.from({ length: replicas }, (_, index) => {
    const machine = `${name}-${index}`;
    return {
      apiVersion,
      kind: 'Machine',
      metadata: {
        name: machine,
        namespace,
        labels,
        finalizers: ['machine-delete-finalizer', 'machine-node-delete-finalizer'],
        ...owner('MachineSet', name, `uid-of-${name}`),
      },
      spec: {
        ...template.spec,
        metadata: { name: machine },
        providerID: `virtual:///${machine}`,
      },
      status: { nodeRef: { kind: 'Node', name: machine } },
    };
  });
  const nodes = machines.map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: metadata.name },
    status: { nodeInfo: { kubeletVersion: 'v1.34.2' } },
  }));
  return [set, ...machines, ...nodes];
}
