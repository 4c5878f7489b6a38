/**
 * A MachineDeployment from its first apply to its last trace, with MCM v0.62.1's texts and shapes.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { annotations, finalizers, labels } from '../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { isReady } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, machinesOf, untilGone, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

describe('a MachineDeployment', () => {
  const scenario = useScenario('lifecycle', { isDoubled: true });
  const { cluster, cloud, workflows } = scenario;
  let pool: string;
  let machines: Machine[];

  beforeAll(async () => {
    pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    machines = await untilRunning(scenario, pool, 3);
  });

  test('with 3 replicas has 3 Running machines on 3 Ready Nodes', async () => {
    const nodes = await cluster.nodes();
    expect(nodes.filter(isReady)).toHaveLength(3);
    expect(await cloud.instances()).toHaveLength(3);
    const { createsPerName } = await cloud.calls();
    expect(Object.values(createsPerName)).toEqual([1, 1, 1]);
  });

  test('gives each Machine the metadata, spec and status that MCM gives it', async () => {
    const set = await onlySet();
    for (const machine of machines) {
      const { metadata, spec, status } = machine;
      expect(metadata).toMatchObject({
        generateName: `${set.metadata.name}-`,
        finalizers: [finalizers.machine],
        annotations: { [annotations.priority]: '3' },
        labels: { name: pool, node: metadata.name, ...hashOf(set) },
        ownerReferences: [
          { kind: 'MachineSet', name: set.metadata.name, uid: set.metadata.uid, controller: true },
        ],
      });
      expect(spec.providerID).toMatch(/^local:\/\/\/a\/i-[0-9a-f]+$/);
      expect(status).toMatchObject({
        currentStatus: { phase: 'Running', lastUpdateTime: time },
        lastOperation: {
          description: `Machine ${metadata.name} successfully joined the cluster`,
          state: 'Successful',
          type: 'Create',
          lastUpdateTime: time,
        },
      });
      expect(status?.currentStatus).not.toHaveProperty('timeoutActive', true);
      expect(status?.lastOperation).not.toHaveProperty('errorCode');
      const types = status?.conditions?.map(({ type }) => type) ?? [];
      expect(types).toEqual(expect.arrayContaining(['Ready', 'MemoryPressure', 'DiskPressure']));
    }
  });

  test('gives each Node the finalizer, name, labels, annotations and taints of its Machine', async () => {
    for (const { metadata, spec } of await cluster.nodes()) {
      expect(metadata).toMatchObject({
        finalizers: [finalizers.node],
        labels: { [labels.machineName]: metadata.name, pool: 'pool' },
        annotations: {
          'example.com/a': 'b',
          [annotations.lastAppliedNodeTemplate]:
            '{"metadata":{"labels":{"pool":"pool"},"annotations":{"example.com/a":"b"}},"spec":{"taints":[{"key":"dedicated","value":"pool","effect":"NoSchedule"}]}}',
        },
      });
      expect(spec?.taints).toContainEqual({
        key: 'dedicated',
        value: 'pool',
        effect: 'NoSchedule',
      });
    }
  });

  test('a MachineDeployment and its MachineSet say how many machines there are', async () => {
    await eventually('the counts are right', async () => {
      const set = await onlySet();
      const counts = { replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 };
      expect(set.status).toMatchObject({ ...counts, fullyLabeledReplicas: 3 });
      expect(set.metadata.finalizers).toEqual([finalizers.machine]);
      expect(set.metadata.annotations).toMatchObject({
        [annotations.desiredReplicas]: '3',
        [annotations.maxReplicas]: '4',
        [annotations.revision]: '1',
        'example.com/team': 'infra',
      });
      const deployment = await cluster.deployment(pool);
      expect(deployment.metadata.finalizers).toEqual([finalizers.machine]);
      expect(deployment.metadata.annotations).toMatchObject({ [annotations.revision]: '1' });
      expect(deployment.status).toMatchObject({
        ...counts,
        updatedReplicas: 3,
        conditions: [
          {
            type: 'Available',
            status: 'True',
            reason: 'MinimumReplicasAvailable',
            message: 'Deployment has minimum availability.',
            lastTransitionTime: time,
          },
          {
            type: 'Progressing',
            status: 'True',
            reason: 'NewMachineSetAvailable',
            message: `MachineSet "${set.metadata.name}" has successfully progressed.`,
            lastTransitionTime: time,
          },
        ],
      });
    });
  });

  test('is found in Temporal by kind and phase, and its pages say what is awaited', async () => {
    const names = machines.map(({ metadata }) => metadata.name);
    const idOf = (name: string): string => `machine/${scenario.namespace}/${name}`;
    await eventually('the search finds the Running machines', async () => {
      const running = await workflows.running('WorkflowType="machine" and State="Running"');
      expect(running).toEqual(names.map(idOf).toSorted());
    });
    for (const name of names) {
      await eventually(`the page of ${name} says where it runs`, async () => {
        const { summary, details } = await workflows.pageOf('machine', name);
        expect(summary).not.toBe('');
        expect(details).toContain(`runs on Node ${name}`);
        expect(details).toContain(`machineSet/${scenario.namespace}/`);
      });
    }
    const found = await workflows.list('WorkflowType="machineDeployment"');
    expect(found.map(({ workflowId }) => workflowId)).toEqual([
      `machineDeployment/${scenario.namespace}/${pool}`,
    ]);
  });

  test('is scaled to 10 with kubectl, by exactly 7 new machines', async () => {
    await kubectlScale(pool, 10);
    const all = await untilRunning(scenario, pool, 10);
    expect(all.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(machines.map(({ metadata }) => metadata.name)),
    );
    const { createsPerName } = await cloud.calls();
    expect(Object.values(createsPerName)).toEqual(Array.from({ length: 10 }, () => 1));
    machines = all;
  });

  test('is scaled to 7, and the oldest go', async () => {
    await cluster.scale(pool, 7);
    const left = await untilRunning(scenario, pool, 7);
    expect(namesOf(left)).toEqual(namesOf(machines.toSorted(byAge).slice(3)));
    machines = left;
  });

  test('is scaled to 2, and those with the highest priority stay', async () => {
    const [first, second] = machines.toSorted(byAge);
    if (!first || !second) throw new Error('there are no two machines');
    for (const { metadata } of [first, second]) {
      const patch = { metadata: { annotations: { [annotations.priority]: '5' } } };
      await cluster.patch('machines', metadata.name, patch);
    }
    await cluster.scale(pool, 2);
    const left = await untilRunning(scenario, pool, 2);
    expect(namesOf(left)).toEqual(namesOf([first, second]));
    const { createsPerName } = await cloud.calls();
    expect(Object.keys(createsPerName)).toHaveLength(10);
  });

  test('is deleted, and no machine, Node, VM or open workflow is left', async () => {
    const path = cluster.pathOf('machinedeployments', pool);
    await cluster.delete(path);
    await untilGone(scenario, path);
    await eventually('everything is gone', async () => {
      expect(await cluster.sets()).toEqual([]);
      expect(await machinesOf(scenario, pool)).toEqual([]);
      expect(await cloud.instances()).toEqual([]);
      expect(await cluster.nodes()).toEqual([]);
      const open = await workflows.running(
        'WorkflowType IN ("machine","machineSet","machineDeployment")',
      );
      expect(open).toEqual([]);
      const closed = await workflows.list('ExecutionStatus="Completed" and WorkflowType="machine"');
      expect(closed).toHaveLength(10);
    });
  });

  async function onlySet(): Promise<MachineSet> {
    const [set, ...others] = await cluster.sets();
    if (set === undefined || others.length > 0) throw new Error('not exactly one MachineSet');
    return set;
  }

  async function kubectlScale(name: string, replicas: number): Promise<void> {
    const kubectl = await preparedBinary('kubectl');
    const { kubeconfig } = testStack().stack;
    const target = [`--namespace=${scenario.namespace}`, 'machinedeployment', name];
    const args = [`--kubeconfig=${kubeconfig}`, 'scale', ...target, `--replicas=${replicas}`];
    await promisify(execFile)(kubectl, args);
  }
});

const hashOf = ({ metadata }: MachineSet): Record<string, string> => ({
  [labels.templateHash]: metadata.labels?.[labels.templateHash] ?? '(no hash)',
});

const namesOf = (machines: Machine[]): string[] =>
  machines.map(({ metadata }) => metadata.name).toSorted();

/** Machines of one second are ordered by name. */
const byAge = (a: Machine, b: Machine): number => (keyOf(a) < keyOf(b) ? -1 : 1);

const keyOf = ({ metadata }: Machine): string => `${metadata.creationTimestamp} ${metadata.name}`;
