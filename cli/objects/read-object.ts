/** Reads an object that the command line names. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { isForbidden, isNotFound } from '../../kube/client/errors.ts';
import { customResource, node as nodePath } from '../../kube/client/paths.ts';
import { labels } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { formatRight, rightOnMachines } from './rights.ts';

export async function readMachine(scope: ClusterScope, name: string): Promise<Machine> {
  return await readNamed<Machine>(scope, 'machine', name);
}

/** The Machine that has this Node. */
export async function readMachineOn(
  { kube, namespace }: ClusterScope,
  node: string,
): Promise<Machine> {
  const path = customResource('machines', namespace);
  const { items } = await kube.list<Machine>(path, { labelSelector: `${labels.node}=${node}` });
  const [machine] = items;
  if (!machine) throw new Error(`no Machine in namespace ${namespace} has Node ${node}`);
  return machine;
}

export async function readDeployment(
  scope: ClusterScope,
  name: string,
): Promise<MachineDeployment> {
  return await readNamed<MachineDeployment>(scope, 'machinedeployment', name);
}

async function readNamed<Kind extends KubeObject>(
  { kube, namespace }: ClusterScope,
  kind: 'machine' | 'machinedeployment',
  name: string,
): Promise<Kind> {
  try {
    return await kube.get<Kind>(customResource(`${kind}s`, namespace, name));
  } catch (error) {
    if (isForbidden(error)) {
      const right = formatRight(rightOnMachines('get', `${kind}s`, namespace));
      throw new Error(`nothing was done: you lack the right to ${right}`, { cause: error });
    }
    if (!isNotFound(error)) throw error;
    throw new Error(`there is no ${kind}/${name} in namespace ${namespace}`, { cause: error });
  }
}

export async function readNode(target: KubeClient, name: string): Promise<KubeObject> {
  try {
    return await target.get<KubeObject>(nodePath(name));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(
      `there is no Node ${name} in this cluster; name that of the Nodes with --target-kubeconfig`,
      { cause: error },
    );
  }
}
