/** A shoot's control plane as gardenlet makes it, and MCM's pod started as its kubelet would. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeClient } from '../../../kube/client/client.ts';
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import type { Manifest } from '../../../deploy/local/cluster/rights.ts';
import { repository } from '../../../deploy/local/layout.ts';
import type { Launch, Role } from './operator.ts';
import { pathOf } from './rights.ts';
import type { Scenario } from './scenario.ts';
import { kubeconfigFileOf, writeAccountKubeconfig, type Account } from './service-accounts.ts';
import { testStack } from './test-stack.ts';

interface Container {
  name: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  ports: { containerPort: number }[];
  livenessProbe: { httpGet: { path: string; port: number } };
  resources: { requests: { memory: string } };
}

interface Deployment {
  spec: {
    template: {
      metadata: { labels: Record<string, string> };
      spec: { terminationGracePeriodSeconds: number; containers: Container[] };
    };
  };
}

const fixtures = join(repository, 'test/fixtures/gardener');
const gardenerFolder = join(repository, 'deploy/gardener');
const manager = 'machine-controller-manager';

type Place = Pick<Scenario, 'namespace' | 'cluster'>;

export const accountsOf = ({ namespace }: Place): { control: Account; target: Account } => ({
  control: { namespace, name: manager },
  target: { namespace: 'kube-system', name: `${manager}-${namespace}` },
});

function manifestsIn(file: string, words: Readonly<Record<string, string>> = {}): Manifest[] {
  const text = Object.entries(words).reduce(
    (all, [word, value]) => all.replaceAll(word, value),
    readFileSync(file, 'utf8'),
  );
  return parseAllDocuments(text).map((document): Manifest => document.toJS());
}

const ofShoot = ({ namespace }: Place): Manifest[] =>
  manifestsIn(join(fixtures, 'shoot.yaml'), { SUFFIX: `-${namespace}` });

/** What gardenlet applies in seed and shoot, and kubeconfigs of both accounts. */
export async function applyGardenlet(place: Place): Promise<void> {
  const { namespace, cluster } = place;
  await cluster.kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const ofSeed = manifestsIn(join(fixtures, 'control-plane.yaml'), { NAMESPACE: namespace });
  await createAll(cluster.kube, [...ofSeed, ...ofShoot(place)]);
  const { control, target } = accountsOf(place);
  await writeAccountKubeconfig(cluster.kube, control);
  await writeAccountKubeconfig(cluster.kube, target);
}

/** The control plane goes with its namespace. */
export async function removeFromShoot(place: Place): Promise<void> {
  const { kube } = place.cluster;
  for (const manifest of ofShoot(place))
    await ignoreNotFound(kube.delete(`${pathOf(manifest)}/${manifest.metadata.name}`));
}

/** As the extension would. */
export async function grantStop({ namespace, cluster }: Place): Promise<void> {
  const file = join(gardenerFolder, 'stop-role.yaml');
  await createAll(cluster.kube, manifestsIn(file, { NAMESPACE: namespace }));
}

async function createAll(kube: KubeClient, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) await kube.create(pathOf(manifest), manifest);
}

/** As the webhook would; it is the API server that merges. Returns the pod's template. */
export async function patchPod({ namespace, cluster }: Place): Promise<Template> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${manager}`;
  const patch: unknown = parse(readFileSync(join(gardenerFolder, 'pod-patch.yaml'), 'utf8'));
  const { spec } = await cluster.kube.patch<Deployment>(path, 'strategic', patch);
  return spec.template;
}

export type Template = Deployment['spec']['template'];

/** Containers by the process of ours that each is. */
export function containersOf({ spec }: Template): Record<Role, Container> {
  const [watcher, worker, ...others] = spec.containers;
  if (watcher === undefined || worker === undefined || others.length > 0)
    throw new Error(`two containers are expected, not ${spec.containers.length}`);
  return { watcher, worker };
}

export interface Pod {
  template: Template;
  /** Of what was built. */
  image: string;
  place: Place;
  /** Of the control cluster, for `--cluster-id`. */
  cluster: string;
}

/**
 * All pods here share one machine: each gets an address of its own among those of the loopback
 * interface, and so may have Gardener's ports.
 */
export function addressOf({ namespace }: Place): string {
  if (process.platform !== 'linux') return '127.0.0.1';
  const [a = 0, b = 0] = createHash('sha256').update(namespace).digest();
  return `127.${64 + (a % 128)}.${b}.${1 + ((a + b) % 250)}`;
}

/**
 * Starts a container: its command, its arguments, its variables, and nothing else that the process
 * would look at. Only what names a place outside of the pod is another here.
 */
export function podLaunch(pod: () => Pod, started: Map<Role, ChildProcess>): Launch {
  return ({ role, env, log }) => {
    const { template, image, place, cluster } = pod();
    const container = containersOf(template)[role];
    const [program = './machine-controller', ...words] = container.command ?? [];
    const argv = [...words, ...(container.args ?? [])].map((word) => mounted(word, place));
    const child = spawn(program, argv, {
      cwd: image,
      stdio: ['ignore', log, log],
      env: {
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        ...variablesOf(container, { place, cluster }),
        MILLWRIGHT_VIRTUAL_CLOUD: env['MILLWRIGHT_VIRTUAL_CLOUD'],
        // It must not outlive a killed test run.
        NODE_OPTIONS: `--import=${pathToFileURL(join(repository, 'deploy/local/parent-watch.mjs')).href}`,
        MILLWRIGHT_WATCH_PARENT: String(process.pid),
      },
    });
    started.set(role, child);
    return child;
  };
}

function mounted(word: string, place: Place): string {
  const { control, target } = accountsOf(place);
  return word
    .replace(/=inClusterConfig$/, `=${kubeconfigFileOf(control)}`)
    .replace(/=\/var\/run\/secrets\/.*\/kubeconfig$/, `=${kubeconfigFileOf(target)}`);
}

/** Those of the patch, with the values of this stack. */
function variablesOf({ env = [] }: Container, { place, cluster }: Pick<Pod, 'place' | 'cluster'>) {
  const values: Readonly<Record<string, string>> = {
    TEMPORAL_ADDRESS: testStack().temporalAddress,
    MILLWRIGHT_FLAGS: `--cluster-id=${cluster} --address=${addressOf(place)}`,
  };
  return Object.fromEntries(env.map(({ name }) => [name, values[name]]));
}
