/** What scenarios do again and again with machines. */
import type { KubeObject } from '../../../kube/client/client.ts';
import type { MachineDeploymentSpec } from '../../../workflows/api/machine-deployment.ts';
import type { Machine, MachineSpec } from '../../../workflows/api/machine.ts';
import { isReady } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { deploymentManifest, machineManifest } from './manifests.ts';
import type { Scenario } from './scenario.ts';

/** Creates a standalone Machine. Returns its name. */
export async function createMachine(
  scenario: Scenario,
  name: string,
  spec: MachineSpec = {},
): Promise<string> {
  const named = scenario.named(name);
  await scenario.cluster.create('machines', machineManifest(named, spec));
  return named.name;
}

/** Returns the deployment's name. */
export async function createDeployment(
  scenario: Scenario,
  name: string,
  spec: Partial<MachineDeploymentSpec> = {},
): Promise<string> {
  const named = scenario.named(name);
  await scenario.cluster.create('machinedeployments', deploymentManifest(named, spec));
  return named.name;
}

/** Machines of a deployment, also of one that is gone: their names begin with its name. */
export async function machinesOf({ cluster }: Scenario, deployment: string): Promise<Machine[]> {
  const machines = await cluster.machines();
  return machines.filter(({ metadata }) => metadata.name.startsWith(`${deployment}-`));
}

/** So many machines are Running, no others exist, and each has a Ready Node. Returns them. */
export async function untilRunning(
  scenario: Scenario,
  deployment: string,
  count: number,
): Promise<Machine[]> {
  return await eventually(`${count} machines of ${deployment} are Running`, async () => {
    const machines = await machinesOf(scenario, deployment);
    expect(machines.map(factsOf)).toEqual(Array.from({ length: count }, () => 'Running'));
    const nodes = await scenario.cluster.nodes();
    const ready = nodes.filter(isReady).map(({ metadata }) => metadata.name);
    expect(ready).toEqual(expect.arrayContaining(machines.map(nodeOf)));
    return machines;
  });
}

/** Waits until a machine is in the phase. Returns it. */
export async function untilPhase(
  { cluster }: Scenario,
  name: string,
  phase: string,
): Promise<Machine> {
  return await eventually(`Machine ${name} is ${phase}`, async () => {
    const machine = await cluster.machine(name);
    const { currentStatus, lastOperation } = machine.status ?? {};
    expect({ phase: currentStatus?.phase, lastOperation }).toMatchObject({ phase });
    return machine;
  });
}

export async function untilGone(
  { cluster }: Pick<Scenario, 'cluster'>,
  path: string,
): Promise<void> {
  const look = async (): Promise<void> => {
    const object = await cluster.find<KubeObject>(path);
    expect(object && { finalizers: object.metadata.finalizers }).toBeUndefined();
  };
  await eventually(`${path} is gone`, look);
}

/** Its time is over once its VM has booted, however busy the machine is that both run on. */
export async function timeOutOnceBooted(scenario: Scenario, name: string): Promise<void> {
  await untilBooted(scenario, name);
  await scenario.cluster.patch('machines', name, { spec: { creationTimeout: '1s' } });
}

export async function untilBooted({ cluster, cloud }: Scenario, name: string): Promise<void> {
  await eventually(`the VM of Machine ${name} has booted`, async () => {
    expect((await cluster.machine(name)).status?.currentStatus).toMatchObject({ phase: 'Pending' });
    const instance = (await cloud.instances()).find((one) => one.name === name);
    expect(Date.parse(instance?.bootAt ?? '')).toBeLessThan(Date.now());
  });
}

/** Deletes a Machine and waits until it is gone. */
export async function deleteMachine(scenario: Scenario, name: string): Promise<void> {
  const path = scenario.cluster.pathOf('machines', name);
  await scenario.cluster.delete(path);
  await untilGone(scenario, path);
}

/** Deletes a deployment and waits until it, its sets and its machines are gone. */
export async function deleteDeployment(scenario: Scenario, name: string): Promise<void> {
  const { cluster } = scenario;
  const path = cluster.pathOf('machinedeployments', name);
  await cluster.delete(path);
  await untilGone(scenario, path);
  await eventually(`sets and machines of ${name} are gone`, async () => {
    const sets = (await cluster.sets()).filter(({ metadata }) =>
      metadata.name.startsWith(`${name}-`),
    );
    expect(
      [...sets, ...(await machinesOf(scenario, name))].map(({ metadata }) => metadata.name),
    ).toEqual([]);
  });
}

const factsOf = ({ metadata, status }: Machine): string =>
  `${status?.currentStatus?.phase ?? ''}${metadata.deletionTimestamp === undefined ? '' : ' being deleted'}`;

const nodeOf = ({ metadata }: Machine): string => metadata.labels?.['node'] ?? '(no Node)';
