/** The objects that the pictures show. */
import type { MachineKind } from '../../kube/client/paths.ts';
import { apiVersion } from '../../workflows/api/constants.ts';
import type { MachineDeploymentStrategy } from '../../workflows/api/machine-deployment.ts';

export interface Manifest {
  kind: MachineKind;
  body: Typed & Record<string, unknown>;
}

interface Typed {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
}

export const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'web' },
  stringData: { userData: '#cloud-config\nhostname: <<MACHINE_NAME>>\n' },
};

export function classNamed(name: string, providerSpec: object): Manifest {
  const secretRef = { name: secret.metadata.name };
  const body = { ...typed('MachineClass', name), provider: 'virtual', providerSpec, secretRef };
  return { kind: 'machineclasses', body };
}

export function machineNamed(name: string, className: string): Manifest {
  return { kind: 'machines', body: { ...typed('Machine', name), spec: specOf(className) } };
}

export interface Pool {
  name: string;
  replicas: number;
  className: string;
  annotations?: Record<string, string>;
  progressDeadlineSeconds?: number;
  /** Default: one machine more, none fewer during a rollout. */
  strategy?: MachineDeploymentStrategy;
}

const oneMore: MachineDeploymentStrategy = {
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
};

export function deploymentOf({ name, replicas, className, ...rest }: Pool): Manifest {
  const { annotations = {}, progressDeadlineSeconds, strategy = oneMore } = rest;
  const labels = { name };
  const spec = {
    replicas,
    progressDeadlineSeconds,
    selector: { matchLabels: labels },
    strategy,
    template: { metadata: { labels }, spec: specOf(className) },
  };
  const metadata = { name, annotations };
  return {
    kind: 'machinedeployments',
    body: { ...typed('MachineDeployment', name), metadata, spec },
  };
}

export function specOf(className: string): object {
  return { class: { kind: 'MachineClass', name: className } };
}

function typed(kind: string, name: string): Typed {
  return { apiVersion, kind, metadata: { name } };
}
