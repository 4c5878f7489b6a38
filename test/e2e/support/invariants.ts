/**
 * What holds at the end of every scenario, whatever happened in it. The virtual cloud is the judge.
 */
import type { Machine } from '../../../workflows/api/machine.ts';
import type { Cluster } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import type { VirtualCloud } from './virtual-cloud.ts';
import { ofObjects, type WorkflowRecords } from './workflow-records.ts';

export interface Sides {
  cluster: Cluster;
  cloud: VirtualCloud;
  workflows: WorkflowRecords;
}

/**
 * One VM for each living Machine that has one, none without a Machine, no Node without its VM,
 * never two VMs for a token.
 */
export async function expectOneInstanceEach({ cluster, cloud }: Sides): Promise<void> {
  await eventually('Machines, VMs and Nodes belong together one to one', async () => {
    // VMs first: one that is made in between has its Machine already.
    const instances = await cloud.instances();
    const machines = await cluster.machines();
    const nodes = await cluster.nodes();
    const withInstance = machines.filter(({ spec }) => spec.providerID !== undefined);
    expect(instances.map(pairOf).toSorted()).toEqual(withInstance.map(claimOf).toSorted());
    const providerIDs = new Set(instances.map(({ providerID }) => providerID));
    const strays = nodes.filter(({ spec }) => !providerIDs.has(spec?.providerID ?? ''));
    expect(strays.map(({ metadata }) => metadata.name)).toEqual([]);
  });
  await expectOneInstancePerToken(cloud);
}

export async function expectOneInstancePerToken(cloud: VirtualCloud): Promise<void> {
  const { machinesPerToken } = await cloud.calls();
  expect(machinesPerToken.offenders).toEqual({});
}

/**
 * When all objects are deleted: no VM, no Node, no object that a finalizer holds, no open workflow.
 */
export async function expectNothingLeft({ cluster, cloud, workflows }: Sides): Promise<void> {
  await eventually('no Machine, set or deployment is left', async () => {
    expect(await leftovers(cluster)).toEqual([]);
  });
  await eventually('no VM is left', async () => {
    expect((await cloud.instances()).map(({ name }) => name)).toEqual([]);
  });
  await eventually('no Node is left', async () => {
    expect((await cluster.nodes()).map(({ metadata }) => metadata.name)).toEqual([]);
  });
  await eventually('the workflows of vanished objects are closed', async () => {
    expect(await workflows.running(ofObjects)).toEqual([]);
  });
  await expectOneInstancePerToken(cloud);
}

/** Names of what still stands, with the finalizers that hold it. */
async function leftovers(cluster: Cluster): Promise<string[]> {
  const all = await Promise.all([cluster.machines(), cluster.sets(), cluster.deployments()]);
  return all
    .flat()
    .map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.finalizers?.join() ?? ''}`);
}

const pairOf = ({ name, providerID }: { name: string; providerID: string }): string =>
  `${name} ${providerID}`;

const claimOf = ({ metadata, spec }: Machine): string => `${metadata.name} ${spec.providerID}`;
