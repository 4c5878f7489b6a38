/** Machines that are kept for a look at them, and what there is to see of it. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeObject } from './cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, machinesOf, untilRunning } from './machines.ts';
import type { Scenario } from './scenario.ts';

interface Pool {
  replicas: number;
  /** Default ten minutes. */
  preserveTimeout?: string;
  /** How many its sets preserve on their own; default 0. */
  most?: number;
}

/** Machines that are Failed a few seconds after their Node fell ill. */
export async function createPool(
  scenario: Scenario,
  name: string,
  { replicas, preserveTimeout = '10m', most = 0 }: Pool,
): Promise<{ deployment: string; names: string[] }> {
  const deployment = await createDeployment(scenario, name, {
    replicas,
    autoPreserveFailedMachineMax: most,
    template: {
      metadata: { labels: { name: scenario.named(name).name } },
      spec: {
        class: { kind: 'MachineClass', name: 'small' },
        healthTimeout: '3s',
        machinePreserveTimeout: preserveTimeout,
      },
    },
  });
  await untilRunning(scenario, deployment, replicas);
  return { deployment, names: await namesOf(scenario, deployment) };
}

export async function namesOf(scenario: Scenario, deployment: string): Promise<string[]> {
  return (await machinesOf(scenario, deployment)).map(({ metadata }) => metadata.name);
}

/** `kubectl annotate machine`; null takes it away. */
export async function annotateMachine({ cluster }: Scenario, name: string, value: string | null) {
  const notes = { [annotations.preserve]: value };
  await cluster.patch('machines', name, { metadata: { annotations: notes } });
}

/** `kubectl annotate node`. */
export async function annotateNode({ cluster }: Scenario, name: string, value: string | null) {
  const notes = { [annotations.preserve]: value };
  await cluster.kube.patch(nodePath(name), 'merge', { metadata: { annotations: notes } });
}

/** `kubectl edit machine --subresource=status`. */
export async function setExpiry({ cluster }: Scenario, name: string, milliseconds: number) {
  const preserveExpiryTime = new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
  const path = `${cluster.pathOf('machines', name)}/status`;
  await cluster.kube.patch(path, 'merge', { status: { currentStatus: { preserveExpiryTime } } });
}

/** Milliseconds; undefined while it is not preserved. */
export function expiryOf({ status }: Machine): number | undefined {
  const text = status?.currentStatus?.preserveExpiryTime ?? undefined;
  return text === undefined ? undefined : Date.parse(text);
}

interface NodeLooks {
  /** The taint that keeps pods away. */
  isTainted: boolean;
  /** The cluster autoscaler leaves it alone, by our doing. */
  isProtected: boolean;
  status: string | undefined;
  reason: string | undefined;
  message: string | undefined;
}

export function looksOf({ metadata, spec, status }: NodeObject): NodeLooks {
  const notes = metadata.annotations ?? {};
  const condition = status?.conditions?.find(({ type }) => type === 'Preserved');
  const protection = [
    notes[annotations.scaleDownDisabled],
    notes[annotations.scaleDownDisabledByUs],
  ];
  return {
    isTainted:
      spec?.taints?.some(({ key }) => key === 'node.machine.sapcloud.io/preserved') ?? false,
    isProtected: protection.every((value) => value === 'true'),
    status: condition?.status,
    reason: condition?.reason,
    message: condition?.message,
  };
}

/** The Machine has an expiry and its Node looks like this. Returns the Machine. */
export async function untilPreserved(
  scenario: Scenario,
  name: string,
  looks: { [Key in keyof NodeLooks]?: unknown } = {},
): Promise<Machine> {
  const { cluster } = scenario;
  return await eventually(`${name} is preserved`, async () => {
    const machine = await cluster.machine(name);
    expect(expiryOf(machine)).toBeGreaterThan(Date.now());
    const node = await cluster.kube.get<NodeObject>(nodePath(name));
    expect(looksOf(node)).toMatchObject({ isProtected: true, ...looks });
    return machine;
  });
}

/** Neither the Machine nor its Node says that it is preserved. */
export async function untilNotPreserved(scenario: Scenario, name: string): Promise<void> {
  const { cluster } = scenario;
  await eventually(`${name} is preserved no more`, async () => {
    expect(expiryOf(await cluster.machine(name))).toBeUndefined();
    const node = await cluster.kube.get<NodeObject>(nodePath(name));
    expect(looksOf(node)).toMatchObject({
      isTainted: false,
      isProtected: false,
      status: 'False',
      reason: 'Preservation stopped.',
    });
  });
}
