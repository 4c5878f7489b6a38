import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { runProgram } from '../binaries/program.ts';
import type { Job } from '../components/component.ts';
import type { StackWorld } from '../components/world.ts';
import type { User } from '../layout.ts';
import { repository } from '../layout.ts';
import { messageOf } from '../failure.ts';
import { rightsOfKubelets, userDataConfigMap } from './joining.ts';
import type { Manifest } from './rights.ts';
import {
  rightsIn,
  rightsOfCluster,
  rightsOfFront,
  rightsOutlasting,
  bindingOf,
  isRole,
} from './rights.ts';
import { parseAllDocuments } from 'yaml';

const crds = join(repository, 'deploy/crds');
/** Of `cluster.k8s.io`, for the front. */
const theirCrds = join(repository, 'deploy/crds-kubermatic');
const exampleClass = join(repository, 'deploy/examples/class.yaml');

/**
 * Makes the cluster ours: CRDs, the operator's rights, the namespace, an example class with its
 * secret.
 */
export function applyCluster(world: StackWorld): Job {
  return {
    name: 'cluster',
    needs: ['kube-apiserver'],
    run: async () => {
      const kubectl = kubectlOf(world);
      await applyDefinitions(kubectl, world.options.front ? [crds, theirCrds] : [crds]);
      const { namespace } = world.options;
      // The only one that cannot be deleted.
      const isDefault = namespace === 'default';
      if (!isDefault) {
        await applyManifests(kubectl, [
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        ]);
      }
      await applyManifests(kubectl, [
        ...(isDefault ? rightsIn : rightsOutlasting)(namespace),
        userDataConfigMap(world),
      ]);
      if (world.options.autoscaler) await applyManifests(kubectl, rightsOfAutoscaler(namespace));
      if (world.options.front) await applyManifests(kubectl, rightsOfFront(namespace));
      await createOnce(kubectl, ['-n', namespace, '-f', exampleClass]);
      return `CRDs, RBAC, example class "small" in namespace ${namespace}`;
    },
  };
}

type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** Fields that a newer checkout sets win over those of an earlier start or a person. */
const serverSide = ['apply', '--server-side', '--force-conflicts', '--field-manager=local-stack'];

function kubectlOf({ binary, layout }: StackWorld): Kubectl {
  const file = binary('kubectl');
  const common = [`--kubeconfig=${layout.kubeconfig}`, `--cache-dir=${layout.kubectlCache}`];
  return (args, input) =>
    runProgram(file, [...common, ...args], input === undefined ? {} : { input });
}

async function applyDefinitions(kubectl: Kubectl, folders: readonly string[]): Promise<void> {
  const files = folders.flatMap((folder) => ['-f', folder]);
  await kubectl([...serverSide, ...files]);
  await applyManifests(kubectl, [...rightsOfCluster(), ...rightsOfKubelets()]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=25s', ...files]);
}

async function applyManifests(kubectl: Kubectl, items: readonly Manifest[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items };
  await kubectl([...serverSide, '-f', '-'], JSON.stringify(list));
}

/** The example belongs to the person as soon as it is there: what they changed stays changed. */
async function createOnce(kubectl: Kubectl, args: readonly string[]): Promise<void> {
  try {
    await kubectl(['create', ...args]);
  } catch (error) {
    const faults = messageOf(error)
      .split('\n')
      .filter((line) => line.includes('Error from'));
    if (faults.length === 0 || !faults.every((line) => line.includes('(AlreadyExists)')))
      throw error;
  }
}

const file = join(repository, 'deploy/examples/cluster-autoscaler/rights.yaml');
const user: User = 'cluster-autoscaler';

/** The rights that users give to the cluster autoscaler, for that of the local stack. */
export function rightsOfAutoscaler(namespace: string): Manifest[] {
  const objects = parseAllDocuments(readFileSync(file, 'utf8'));
  return objects
    .map((document): Manifest => document.toJS())
    .filter(isRole)
    .flatMap((role) => {
      const place = role.kind === 'Role' ? { namespace } : {};
      const placed = { ...role, metadata: { ...role.metadata, ...place } };
      return [placed, bindingOf(placed, [user])];
    });
}
