/**
 * Puts a recorded moment of MCM v0.62.1 into a scenario's namespace: objects, statuses, VMs and
 * Nodes. No operator runs yet.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import type { MachineKind } from '../../../kube/client/paths.ts';
import { createVirtualCloudClient } from '../../../activities/drivers/virtual/client.ts';
import type { VirtualCloudClient } from '../../../activities/drivers/virtual/client.ts';
import type { VirtualProviderSpec } from '../../../activities/drivers/virtual/provider-spec.ts';
import { withDefaults } from '../../../activities/drivers/virtual/provider-spec.ts';
import { fakeKubelet } from '../../../deploy/local/virtual-cloud/node-object.ts';
import { plainInstance } from '../../support/virtual-instance.ts';
import type { NodeObject } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { taintsOf } from './mcm-facts.ts';
import type { Moment, Recording } from './mcm-recording.ts';
import { readRecording } from './mcm-recording.ts';
import { createNamespace } from './rights.ts';
import type { Scenario } from './scenario.ts';
import { testStack } from './test-stack.ts';

export interface Handover {
  /** With the providerIDs of the VMs that stand for MCM's; UIDs are the recorded ones. */
  recording: Recording;
  /** Recorded UID -> UID of what was created for it. */
  uids: Map<string, string>;
}

const kindPaths: Partial<Record<string, MachineKind>> = {
  MachineClass: 'machineclasses',
  MachineDeployment: 'machinedeployments',
  MachineSet: 'machinesets',
  Machine: 'machines',
};

/**
 * Creation times and generations are the API server's; no outcome depends on the age of one of
 * these objects.
 */
export async function handOver(scenario: Scenario, moment: Moment): Promise<Handover> {
  const { namespace, cluster } = scenario;
  await createNamespace(cluster.kube, namespace);
  const providerIDs = await createInstances(scenario, readRecording(moment, { namespace }));
  const recording = readRecording(moment, { namespace, providerIDs });
  const handover: Handover = { recording, uids: new Map() };
  const { secrets, classes, deployments, sets, machines, nodes } = recording;
  // Owners come before what they own.
  for (const object of [...secrets, ...classes, ...deployments, ...sets, ...machines]) {
    await put(scenario, object, handover.uids);
  }
  for (const node of nodes) await putNode(scenario, node);
  return handover;
}

/** The VM of a Pending machine joins: its kubelet registers the Node. */
export async function join({ cluster }: Scenario, name: string): Promise<void> {
  const { providerID } = (await cluster.machine(name)).spec;
  await cluster.kube.create(nodePath(), {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name },
      annotations: fakeKubelet,
    },
    spec: { providerID },
  });
}

/**
 * A VM for each machine that has one: with the tags of its class, without a token or tag of ours, as
 * MCM leaves it. They do not join by themselves: their Nodes are the recorded ones. Returns the providerID of each machine.
 */
async function createInstances(
  { cloud }: Scenario,
  { machines, classes }: Recording,
): Promise<Record<string, string>> {
  const url = new URL(testStack().virtualCloud);
  const client = createVirtualCloudClient({ url, callTimeoutSeconds: 10 });
  const specs = new Map(
    classes.map(({ metadata, providerSpec }) => [metadata.name, withDefaults(providerSpec)]),
  );
  await cloud.addFault({ kind: 'neverJoin' });
  const made = machines
    .filter(({ spec }) => spec.providerID !== undefined)
    .map(async ({ metadata: { name }, spec }) => {
      const ofClass = specs.get(spec.class?.name ?? '') ?? withDefaults({});
      return [name, await createInstance(client, name, ofClass)] as const;
    });
  const providerIDs = Object.fromEntries(await Promise.all(made));
  await cloud.clearFaults();
  return providerIDs;
}

async function createInstance(
  client: VirtualCloudClient,
  name: string,
  { size, tags }: Pick<VirtualProviderSpec, 'size' | 'tags'>,
): Promise<string> {
  const request = plainInstance({
    name,
    // The cloud wants one; MCM asks for none.
    token: `made-by-mcm-${name}`,
    size,
    tags,
    spec: { size },
  });
  const { instance } = await client.create(request, new AbortController().signal);
  return instance.providerID;
}

interface WithStatus extends KubeObject {
  status?: object;
}

/** Creates the object, deletes it if it was being deleted, and writes its status. */
async function put(
  { cluster, namespace }: Scenario,
  object: WithStatus,
  uids: Handover['uids'],
): Promise<void> {
  const { metadata, status, kind = '', ...rest } = object;
  const kindPath = kindPaths[kind];
  const all = kindPath ? cluster.pathOf(kindPath) : namespaced('secrets', namespace);
  const path = `${all}/${metadata.name}`;
  const created = await cluster.kube.create<KubeObject>(all, {
    ...rest,
    kind,
    metadata: creatable(metadata, uids),
  });
  uids.set(metadata.uid, created.metadata.uid);
  // Its finalizer keeps it.
  if (metadata.deletionTimestamp !== undefined) await cluster.kube.delete(path);
  if (status === undefined) return;
  const { generation } = (await cluster.kube.get<KubeObject>(path)).metadata;
  // Every recorded status is that of the object's generation.
  const observed = 'observedGeneration' in status ? { observedGeneration: generation } : {};
  await cluster.kube.patch(`${path}/status`, 'merge', { status: { ...status, ...observed } });
}

/** Without what the API server decides. */
function creatable(metadata: KubeObject['metadata'], uids: Handover['uids']): object {
  const { name, namespace, generateName, labels, annotations, finalizers } = metadata;
  const ownerReferences = metadata.ownerReferences?.map((owner) => {
    const uid = uids.get(owner.uid);
    if (uid === undefined) throw new Error(`${name}: its owner ${owner.name} was not created`);
    return { ...owner, uid };
  });
  return { name, namespace, generateName, labels, annotations, finalizers, ownerReferences };
}

async function putNode({ cluster }: Scenario, node: NodeObject): Promise<void> {
  const { metadata, spec } = node;
  // kwok played the kubelet when it was recorded.
  const annotations = { ...metadata.annotations, ...fakeKubelet };
  const created = creatable({ ...metadata, annotations }, new Map());
  await cluster.kube.create(nodePath(), { ...node, metadata: created });
  await eventually(`the taint of a new Node is taken from ${metadata.name}`, async () => {
    const seen = await cluster.kube.get<NodeObject>(nodePath(metadata.name));
    expect(taintsOf(seen)).toEqual(taintsOf(node));
    expect(seen.spec?.unschedulable).toBe(spec?.unschedulable);
  });
}
