import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { runProgram } from '../binaries/program.ts';
import type { Job } from '../components/component.ts';
import type { StackWorld } from '../components/world.ts';
import { repository, users } from '../layout.ts';

const crds = join(repository, 'deploy/crds');
const rbac = join(repository, 'deploy/rbac.yaml');
const exampleClass = join(repository, 'deploy/examples/class.yaml');

/** Makes the cluster ours: CRDs, the operator's rights, the namespace, an example class with its secret. */
export function applyCluster(world: StackWorld): Job {
  return {
    name: 'cluster',
    needs: ['kube-apiserver'],
    run: async () => {
      const kubectl = await kubectlOf(world);
      await applyDefinitions(kubectl);
      await applyInput(kubectl, [namespaceOf(world), ...bindings()]);
      if (!existsSync(exampleClass)) return 'CRDs and RBAC applied';
      await kubectl([...serverSide, '-n', world.options.namespace, '-f', exampleClass]);
      return `CRDs, RBAC and an example class applied in namespace ${world.options.namespace}`;
    },
  };
}

type Kubectl = (args: readonly string[], input?: string) => Promise<string>;

/** The stack's own manager takes over fields that an earlier start or a person has set. */
const serverSide = ['apply', '--server-side', '--force-conflicts', '--field-manager=local-stack'];

async function kubectlOf({ binary, layout }: StackWorld): Promise<Kubectl> {
  const file = await binary('kubectl');
  const common = [`--kubeconfig=${layout.kubeconfig}`, `--cache-dir=${layout.kubectlCache}`];
  return (args, input) =>
    runProgram(file, [...common, ...args], input === undefined ? {} : { input });
}

async function applyDefinitions(kubectl: Kubectl): Promise<void> {
  const hasCrds = existsSync(crds) && readdirSync(crds).some((name) => name.endsWith('.yaml'));
  const files = [...(hasCrds ? [crds] : []), ...(existsSync(rbac) ? [rbac] : [])];
  if (files.length === 0) return;
  await kubectl([...serverSide, ...files.flatMap((file) => ['-f', file])]);
  if (hasCrds) await kubectl(['wait', '--for=condition=Established', '--timeout=25s', '-f', crds]);
}

async function applyInput(kubectl: Kubectl, objects: readonly unknown[]): Promise<void> {
  const input = objects.map((object) => stringify(object)).join('---\n');
  await kubectl([...serverSide, '-f', '-'], input);
}

function namespaceOf({ options }: StackWorld): unknown {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: options.namespace } };
}

/** The operator's users get the ClusterRoles of their names in `deploy/rbac.yaml`, and no more. */
function bindings(): unknown[] {
  return users
    .filter((user) => user.startsWith('millwright-'))
    .map((user) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `local-stack-${user}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    }));
}
