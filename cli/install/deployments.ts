/** Deployments of MCM and of Millwright, and how they are scaled to 0 and back. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { namespaced } from '../../kube/client/paths.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { retryOnConflict } from '../../kube/client/retry-on-conflict.ts';

export interface Container {
  name: string;
  image?: string;
  command?: readonly string[];
  args?: readonly string[];
  env?: readonly { name: string; value?: string }[];
}

export interface Deployment extends KubeObject {
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: Record<string, string> };
    template?: { spec?: { serviceAccountName?: string; containers?: readonly Container[] } };
  };
  status?: { availableReplicas?: number };
}

/** On a Deployment that a command scaled to 0: how many there were. */
export const replicasBefore = 'millwright.dev/replicas-before';

export const deployments = (namespace: string, name?: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments${name === undefined ? '' : `/${name}`}`;

/** `hand-back` or `take-over` scaled it to 0. */
export const hasReplicasBefore = ({ metadata }: Deployment): boolean =>
  metadata.annotations?.[replicasBefore] !== undefined;

export const wantedOf = ({ spec }: Deployment): number => spec?.replicas ?? 1;

/** Under any release name of the chart, or of deploy/manifests, which have no label of Helm. */
export const isOurs = ({ metadata: { labels = {} } }: Deployment): boolean =>
  labels['helm.sh/chart']?.startsWith('millwright-') === true ||
  labels['app.kubernetes.io/name'] === 'millwright';

/** `watcher`, `worker`, or another process of the chart. */
export const componentOf = ({ metadata }: Deployment): string | undefined =>
  metadata.labels?.['app.kubernetes.io/component'];

export const containersOf = ({ spec }: Deployment): readonly Container[] =>
  spec?.template?.spec?.containers ?? [];

/** The chart has the watcher in a worker, unless it is to be apart. */
const isInOne = (one: Deployment): boolean =>
  containersOf(one).some(({ args = [] }) => args.includes('--with-watcher'));

export const isWatcher = (one: Deployment): boolean =>
  componentOf(one) === 'watcher' || isInOne(one);

export const isFront = (one: Deployment): boolean => componentOf(one) === 'front';

/** Also one that serves a part. */
export const isWorker = (one: Deployment): boolean =>
  isInOne(one) || !['watcher', 'front'].includes(componentOf(one) ?? '');

/** Our watcher may have MCM's name: it is not among these. */
export async function findMcm(
  kube: KubeClient,
  namespace: string,
  names: readonly string[],
): Promise<Deployment[]> {
  const found = await Promise.all(
    names.map((name) => ignoreNotFound(kube.get<Deployment>(deployments(namespace, name)))),
  );
  return found.flatMap((one) => (one && !isOurs(one) ? [one] : []));
}

/** Those that serve the namespace of the Machines. */
export async function findOurs(
  kube: KubeClient,
  release: string,
  namespace: string,
): Promise<Deployment[]> {
  const { items } = await kube.list<Deployment>(deployments(release));
  return items.filter(isOurs).filter((one) => isServing(one, namespace));
}

/** Reads flags as the chart writes them. */
export function isServing(one: Deployment, namespace: string): boolean {
  const served = `--namespace=${namespace}`;
  return containersOf(one).some(({ args = [] }) => args.includes(served));
}

/** Those that serve the namespace: by its name, else a fleet, which may serve it. */
export function serversOf(ours: readonly Deployment[], namespace: string): Deployment[] {
  const serving = ours.filter((one) => isServing(one, namespace));
  return serving.length > 0 ? serving : ours.filter((one) => mayServe(one, namespace));
}

function mayServe(one: Deployment, namespace: string): boolean {
  const words = containersOf(one).flatMap(({ args = [] }) => args);
  if (words.some((word) => word.startsWith('--namespace='))) return false;
  const chosen = words.find((word) => word.startsWith(fleetFlag))?.slice(fleetFlag.length);
  const isOpen = chosen === undefined || chosen === 'all' || chosen.startsWith('labels:');
  return isOpen || chosen.split(',').some((name) => name.trim() === namespace);
}

const fleetFlag = '--namespaces=';

/**
 * Names of its pods, those that are about to end as well: the status of a Deployment does not
 * count these, and their processes still run.
 */
export async function podsOf(kube: KubeClient, deployment: Deployment): Promise<string[]> {
  return (await listPods(kube, deployment)).map(({ metadata }) => metadata.name);
}

interface Pod extends KubeObject {
  status?: { phase?: string };
}

async function listPods(kube: KubeClient, { metadata, spec }: Deployment): Promise<Pod[]> {
  const labels = Object.entries(spec?.selector?.matchLabels ?? {});
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(',');
  const { namespace = '' } = metadata;
  return (await kube.list<Pod>(namespaced('pods', namespace), { labelSelector })).items;
}

/**
 * Describes the first pod that still runs; undefined when there is none. One that was evicted, or
 * whose node was shut down, has no processes and stays so for weeks: a ReplicaSet that is scaled to
 * 0 does not delete it.
 */
export async function endingPod(
  kube: KubeClient,
  all: readonly Deployment[],
): Promise<string | undefined> {
  for (const deployment of all) {
    const pods = await listPods(kube, deployment);
    const pod = pods.find(({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
    if (pod) return `pod ${pod.metadata.name} of Deployment ${deployment.metadata.name} ends`;
  }
  return undefined;
}

/** Nothing is written to one that is at 0 already. */
export async function scaleToZero(kube: KubeClient, deployment: Deployment): Promise<boolean> {
  const replicas = wantedOf(deployment);
  if (replicas === 0) return false;
  await patch(kube, deployment, { replicas: 0, before: String(replicas) });
  return true;
}

/** To what it was before, or to `otherwise`. One that is not at 0 is left alone. */
export async function scaleBack(
  kube: KubeClient,
  deployment: Deployment,
  otherwise: number,
): Promise<boolean> {
  if (wantedOf(deployment) > 0) return false;
  const before = Number(deployment.metadata.annotations?.[replicasBefore] ?? otherwise);
  const replicas = Number.isSafeInteger(before) && before > 0 ? before : otherwise;
  if (replicas === 0) return false;
  await patch(kube, deployment, { replicas, before: null });
  return true;
}

/**
 * Only where as many replicas are wanted as when it was read: that another client scaled it
 * meanwhile is not undone. The status of a Deployment whose pods crash changes all the time.
 */
async function patch(
  kube: KubeClient,
  read: Deployment,
  { replicas, before }: { replicas: number; before: string | null },
): Promise<void> {
  const { name, namespace = '' } = read.metadata;
  const path = deployments(namespace, name);
  await retryOnConflict(async (isAgain) => {
    const now = isAgain ? await kube.get<Deployment>(path) : read;
    if (now.metadata.uid !== read.metadata.uid || wantedOf(now) !== wantedOf(read)) {
      throw new Error(`another client scaled or replaced Deployment ${name}; run this again`);
    }
    const { resourceVersion } = now.metadata;
    const metadata = { resourceVersion, annotations: { [replicasBefore]: before } };
    await kube.patch(path, 'merge', { metadata, spec: { replicas } });
  });
}
