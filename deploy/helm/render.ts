/** Renders the chart, and the plain manifests that are kept of it. */
import { join } from 'node:path';
import { runProgram } from '../local/binaries/program.ts';
import { repository } from '../local/layout.ts';

export const chart = join(repository, 'deploy/helm/millwright');
export const manifests = join(repository, 'deploy/manifests');

export interface Rendering {
  /** Path of helm. */
  helm: string;
  namespace: string;
  /** Arguments of `helm template` beside the chart, such as `--values=FILE`. */
  args?: readonly string[];
}

/** All manifests of a release `millwright`, without CRDs. Rejects with what helm says. */
export function renderChart({ helm, namespace, args = [] }: Rendering): Promise<string> {
  return runProgram(helm, ['template', 'millwright', chart, `--namespace=${namespace}`, ...args], {
    errorsApart: true,
  });
}

/** The plain manifests by file name: for clusters without Helm, and for the local stack. */
const plain: Readonly<Record<string, { about: string; args: readonly string[] }>> = {
  'install.yaml': {
    about:
      'Everything in one cluster: the processes, and their rights in namespace "machines".\n# docs/install.md has the command that puts in your image and your Temporal server.',
    args: ['--set=temporal.namespace=machines'],
  },
  'fleet.yaml': {
    about: 'The same for all namespaces with a label, each with a target cluster of its own.',
    args: [`--values=${join(chart, 'examples/fleet.yaml')}`],
  },
  'front.yaml': {
    about:
      'The front for cluster.k8s.io, beside the processes of install.yaml. Before it: deploy/crds-kubermatic.',
    args: [
      '--set=temporal.namespace=machines',
      '--set=front.enabled=true',
      '--show-only=templates/front.yaml',
    ],
  },
  'serving-rights.yaml': {
    about:
      'The rights that --approve-kubelet-serving needs more, for the processes of install.yaml, in the cluster that the Nodes join.',
    args: [
      '--set=temporal.namespace=machines',
      '--set=flags.approve-kubelet-serving=true',
      '--show-only=templates/rbac-serving.yaml',
    ],
  },
  'target-rights.yaml': {
    about:
      'The rights in a target cluster of its own, for the ServiceAccount millwright of kube-system, whose token stands in --target-kubeconfig.',
    args: [`--values=${join(chart, 'examples/gardener-shoot.yaml')}`],
  },
};

export async function plainManifests(helm: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const [name, { about, args }] of Object.entries(plain)) {
    const rendered = await renderChart({
      helm,
      namespace: 'machines',
      args: [...args, '--skip-tests'],
    });
    files[name] =
      `# ${about}\n# Written by "npm run manifests" from deploy/helm/millwright.\n${withoutHelm(rendered)}`;
  }
  return files;
}

/** Lines that Helm adds, which are not in the file. */
const ofHelm = /^(# Source: |\s*$)|^ +(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): /;

function withoutHelm(text: string): string {
  const lines = text.split('\n').filter((line) => !ofHelm.test(line));
  return `${lines.join('\n')}\n`;
}
