/** Reads for the check of a take-over from machine-controller. */
import { ignoreNotFound } from '../../../kube/client/ignore.ts';
import { osmProfiles } from '../../../activities/front/made-by-osm.ts';
import type { KubeClient, KubeObject } from '../../../kube/client/client.ts';
import {
  customResource,
  kubermatic,
  kubermaticApi,
  kubermaticKinds,
  node,
} from '../../../kube/client/paths.ts';
import { isServed } from '../../../kube/client/served.ts';
import { ownLeaseOf } from '../../../kube/leases/lease-set.ts';
import { isHeldByUs } from '../../../kube/leases/observed-lease.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import { front, kubermaticGroup } from '../../../workflows/api/kubermatic-names.ts';
import type { KubermaticMachineDeployment } from '../../../workflows/api/kubermatic.ts';
import { isMirror } from '../../../workflows/plan/front/facts.ts';
import type { NamespacedName } from '../../../workflows/contracts/references.ts';
import type { ClusterScope } from '../../connection/cluster.ts';
import {
  containersOf,
  deployments,
  findOurs,
  isFront,
  type Deployment,
} from '../../install/deployments.ts';
import { installFlagsOf } from '../../install/flags.ts';
import { readLease } from '../../../kube/leases/read-lease.ts';
import { holderOf } from '../../install/lease-holder.ts';
import { TolerantReads } from '../../install/tolerant.ts';
import type { MigrateOptions } from '../options.ts';
import { flagsOf, type FlagsOfController } from './flags.ts';
import { noObjects, readTheirs, type TheirObjects } from './objects.ts';
import { readPools, type TheirPool } from './pools.ts';
import { missingRights } from './rights.ts';
import { listWebhooks, type WebhookConfig } from './webhooks.ts';

/** Identity of who holds a Lease; undefined where it is free. */
export interface Holders {
  theirs: string | undefined;
  front: string | undefined;
  millwright: string | undefined;
}

export interface Facts {
  namespace: string;
  controllerName: NamespacedName;
  controller: Deployment | undefined;
  flags: FlagsOfController;
  /** Of the three kinds; `undefined`: it is not served. */
  crd: { hasSchema: boolean; hasScaleSelector: boolean } | undefined;
  holders: Holders;
  ours: readonly Deployment[];
  theirs: TheirObjects;
  pools: readonly TheirPool[];
  /** Namespaces besides this one in which there are MachineDeployments, and who has them. */
  elsewhere: { ofController: readonly string[]; ofFront: readonly string[] };
  /** `Machine pool-a`: of ours, not made by the front. */
  ownNames: ReadonlySet<string>;
  webhooks: readonly WebhookConfig[];
  labels: Record<string, string>;
  hasOsm: boolean;
  autoscalers: readonly Deployment[];
  missingRights: readonly string[];
  unread: readonly string[];
}

export async function readFacts(
  { kube, namespace }: ClusterScope,
  options: MigrateOptions,
): Promise<Facts> {
  const release = options.releaseNamespace ?? namespace;
  const controllerName = options.machineController;
  const reads = new TolerantReads();
  const controller = await reads.read('Deployments', findController(kube, controllerName));
  const flags = flagsOf(controller);
  const crd = await readCrd(kube, reads);
  const theirs =
    (crd && (await reads.read('objects of cluster.k8s.io', readTheirs(kube, namespace)))) ??
    noObjects;
  const ours = (await reads.read('Deployments', findOurs(kube, release, namespace))) ?? [];
  return {
    namespace,
    controllerName,
    controller,
    flags,
    crd,
    holders: (await reads.read(
      'Leases',
      readHolders(kube, { namespace, ours, theirs: flags.lease }),
    )) ?? { theirs: undefined, front: undefined, millwright: undefined },
    ours,
    theirs,
    pools: await readPools(kube, {
      theirs,
      nodes: await readNodes(kube, reads),
      processes: {
        fronts: ours.filter(isFront),
        others: controller ? [controller] : [],
      },
    }),
    elsewhere: (crd &&
      (await reads.read(
        'MachineDeployments of all namespaces',
        readElsewhere(kube, namespace),
      ))) ?? { ofController: [], ofFront: [] },
    ownNames: await readOwnNames(kube, namespace, reads),
    webhooks: (await reads.read('webhooks', listWebhooks(kube))) ?? [],
    labels: await labelsOf(kube, namespace, reads),
    hasOsm: await isServed(kube, osmProfiles),
    autoscalers: await findAutoscalers(kube, [namespace, controllerName.namespace], reads),
    missingRights: await missingRights(kube, { namespace, release, controllerName }),
    unread: reads.unread,
  };
}

async function readNodes(kube: KubeClient, reads: TolerantReads): Promise<Map<string, Node>> {
  const nodes = (await reads.read('Nodes', kube.list<Node>(node())))?.items ?? [];
  return new Map(nodes.map((one) => [one.metadata.name, one]));
}

export async function findController(
  kube: KubeClient,
  { namespace, name }: NamespacedName,
): Promise<Deployment | undefined> {
  return await ignoreNotFound(kube.get<Deployment>(deployments(namespace, name)));
}

export async function readHolders(
  kube: KubeClient,
  {
    namespace,
    ours,
    theirs,
  }: { namespace: string; ours: readonly Deployment[]; theirs: NamespacedName },
): Promise<Holders> {
  const { leasePlace } = installFlagsOf(ours);
  const [ofTheirs, ofFront, own] = await Promise.all(
    [theirs, { namespace, name: front.lease }, ownLeaseOf(namespace, leasePlace)].map(
      async (lease) => await readLease(kube, lease),
    ),
  );
  return {
    theirs: isHeldByUs(ofTheirs) ? undefined : holderOf(ofTheirs),
    front: holderOf(ofFront),
    millwright: holderOf(own),
  };
}

interface Crd extends KubeObject {
  spec?: {
    versions?: readonly {
      schema?: { openAPIV3Schema?: { properties?: Record<string, unknown> } };
      subresources?: { scale?: { labelSelectorPath?: string } };
    }[];
  };
}

async function readCrd(kube: KubeClient, reads: TolerantReads): Promise<Facts['crd']> {
  const served = await Promise.all(
    kubermaticKinds.map((plural) => isServed(kube, { api: kubermaticApi, plural })),
  );
  if (served.includes(false)) return undefined;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/machinedeployments.${kubermaticGroup}`;
  const crd = await reads.read('CustomResourceDefinitions', kube.get<Crd>(path));
  const [version] = crd?.spec?.versions ?? [];
  return {
    hasSchema: version?.schema?.openAPIV3Schema?.properties?.['spec'] !== undefined,
    hasScaleSelector: version?.subresources?.scale?.labelSelectorPath !== undefined,
  };
}

/** machine-controller acts in all namespaces of its cluster. */
export async function readElsewhere(
  kube: KubeClient,
  namespace: string,
): Promise<Facts['elsewhere']> {
  const { items } = await kube.list<KubermaticMachineDeployment>(kubermatic('machinedeployments'));
  const others = items.filter(({ metadata }) => metadata.namespace !== namespace);
  const namespacesOf = (all: typeof others) => [
    ...new Set(all.map(({ metadata }) => metadata.namespace ?? '')),
  ];
  return {
    ofController: namespacesOf(others.filter((one) => !isMirror(one))),
    ofFront: namespacesOf(others.filter(isMirror)),
  };
}

const ownKinds = [
  ['machinedeployments', 'MachineDeployment'],
  ['machinesets', 'MachineSet'],
  ['machines', 'Machine'],
] as const;

async function readOwnNames(
  kube: KubeClient,
  namespace: string,
  reads: TolerantReads,
): Promise<Set<string>> {
  const names = await Promise.all(
    ownKinds.map(async ([plural, kind]) => {
      const list = kube.list<KubeObject>(customResource(plural, namespace));
      const items = (await reads.read(plural, list))?.items ?? [];
      return items.map(({ metadata }) => `${kind} ${metadata.name}`);
    }),
  );
  return new Set(names.flat());
}

/** To webhooks; where the person may not read the Namespace, by its name. */
export async function labelsOf(
  kube: KubeClient,
  namespace: string,
  reads = new TolerantReads(),
): Promise<Record<string, string>> {
  const found = await reads.read(
    'Namespace',
    kube.get<KubeObject>(`/api/v1/namespaces/${namespace}`),
  );
  return { ...found?.metadata.labels, 'kubernetes.io/metadata.name': namespace };
}

async function findAutoscalers(
  kube: KubeClient,
  namespaces: readonly string[],
  reads: TolerantReads,
): Promise<Deployment[]> {
  const lists = await Promise.all(
    [...new Set(namespaces)].map((one) =>
      reads.read('Deployments', kube.list<Deployment>(deployments(one))),
    ),
  );
  return lists
    .flatMap((list) => list?.items ?? [])
    .filter((one) => containersOf(one).some(({ image }) => image?.includes('cluster-autoscaler')));
}
