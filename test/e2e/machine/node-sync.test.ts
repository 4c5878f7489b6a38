/** Nodes follow what their Machines and their class say of them, and keep what others wrote. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { node as nodePath } from '../../../kube/client/paths.ts';
import { annotations, finalizers, labels } from '../../../workflows/api/constants.ts';
import type { Machine, NodeTemplateSpec, Taint } from '../../../workflows/api/machine.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, untilRunning } from '../support/machines.ts';
import { className } from '../support/manifests.ts';
import { useScenario } from '../support/scenario.ts';

interface NodeSeen extends KubeObject {
  spec: { taints?: Taint[] };
  status: { capacity: Record<string, string> };
}

const foreign = { key: 'example.com/other', effect: 'PreferNoSchedule' };
const dedicated = { key: 'dedicated', value: 'pool', effect: 'NoSchedule' };
const special = { key: 'special', value: 'yes', effect: 'PreferNoSchedule' };
const { lastAppliedNodeTemplate, lastAppliedVirtualCapacity } = annotations;

describe('the Nodes of a deployment', () => {
  const scenario = useScenario('node-sync');
  const { cluster } = scenario;
  let pool: string;
  let machines: Machine[];

  beforeAll(async () => {
    pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    machines = await untilRunning(scenario, pool, 3);
    for (const name of names()) {
      const { spec } = await cluster.kube.get<NodeSeen>(nodePath(name));
      await cluster.kube.patch(nodePath(name), 'merge', {
        metadata: { labels: { own: 'x' }, annotations: { 'example.com/own': 'y' } },
        spec: { taints: [...(spec.taints ?? []), foreign] },
      });
    }
  });

  const names = (): string[] => machines.map(({ metadata }) => metadata.name);

  async function change(nodeTemplate: NodeTemplateSpec): Promise<void> {
    const path = cluster.pathOf('machinedeployments', pool);
    await cluster.kube.patch(path, 'json', [
      { op: 'replace', path: '/spec/template/spec/nodeTemplate', value: nodeTemplate },
    ]);
  }

  async function eachNode(what: string, look: (node: NodeSeen) => void): Promise<void> {
    await eventually(what, async () => {
      for (const name of names()) look(await cluster.kube.get<NodeSeen>(nodePath(name)));
    });
  }

  test('follow a changed template; foreign labels, annotations and taints stay', async () => {
    await change({
      metadata: { labels: { pool: 'other', zone: 'z' }, annotations: { 'example.com/a': 'c' } },
      spec: { taints: [{ ...dedicated, value: 'other' }, special] },
    });
    await eachNode('Nodes have the changed template', ({ metadata, spec }) => {
      expect(metadata.labels).toMatchObject({
        pool: 'other',
        zone: 'z',
        own: 'x',
        [labels.machineName]: metadata.name,
      });
      expect(metadata.annotations).toMatchObject({ 'example.com/a': 'c', 'example.com/own': 'y' });
      expect(spec.taints).toEqual([foreign, { ...dedicated, value: 'other' }, special]);
      expect(metadata.finalizers).toContain(finalizers.node);
    });
  });

  test('lose what the template names no more, and nothing else', async () => {
    await change({ metadata: { labels: { zone: 'z' } } });
    await eachNode('Nodes have lost the rest', ({ metadata, spec }) => {
      expect(metadata.labels).toMatchObject({ zone: 'z', own: 'x' });
      expect(metadata.labels).not.toHaveProperty('pool');
      expect(metadata.annotations).toMatchObject({
        'example.com/own': 'y',
        [lastAppliedNodeTemplate]: '{"metadata":{"labels":{"zone":"z"}},"spec":{}}',
      });
      expect(metadata.annotations).not.toHaveProperty(['example.com/a']);
      expect(spec.taints).toEqual([foreign]);
    });
  });

  test('get back what another client takes away', async () => {
    const [, , name = ''] = names();
    const metadata = { labels: { zone: null }, finalizers: null };
    await cluster.kube.patch(nodePath(name), 'merge', { metadata });
    await eachNode('Nodes have all of it again', (node) => {
      expect(node.metadata.labels).toMatchObject({ zone: 'z', own: 'x' });
      expect(node.metadata.finalizers).toContain(finalizers.node);
    });
  });

  test('are the Nodes that there were: no machine was replaced', async () => {
    const now = await untilRunning(scenario, pool, 3);
    expect(now.map(({ metadata }) => metadata.uid)).toEqual(
      machines.map(({ metadata }) => metadata.uid),
    );
  });

  test('are not blocked by a last application that nobody can read', async () => {
    const [name = ''] = names();
    await cluster.kube.patch(nodePath(name), 'merge', {
      metadata: { annotations: { [lastAppliedNodeTemplate]: 'nonsense' } },
    });
    await change({ metadata: { labels: { zone: 'y' } } });
    await eachNode('Nodes have the changed template', ({ metadata }) => {
      expect(metadata.labels).toMatchObject({ zone: 'y', own: 'x' });
      expect(metadata.annotations?.[lastAppliedNodeTemplate]).toContain('"y"');
    });
    await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'LastAppliedCorrupt' });
  });

  async function promise(nodeTemplate: object | null): Promise<void> {
    await cluster.patch('machineclasses', className, { nodeTemplate });
  }

  test('promise the virtual capacity of their class, and no longer than the class does', async () => {
    const base = {
      capacity: { cpu: 2, memory: '4Gi', gpu: 0 },
      instanceType: 's',
      region: 'r',
      zone: 'a',
    };
    await promise({ ...base, virtualCapacity: { 'example.com/slots': 5 } });
    await eachNode('Nodes have the capacity', ({ metadata, status }) => {
      expect(status.capacity).toMatchObject({ 'example.com/slots': '5', cpu: expect.any(String) });
      expect(metadata.annotations?.[lastAppliedVirtualCapacity]).toBe('{"example.com/slots":"5"}');
    });
    await promise({ ...base, virtualCapacity: null });
    await eachNode('Nodes have lost the capacity', ({ metadata, status }) => {
      expect(status.capacity).not.toHaveProperty(['example.com/slots']);
      expect(status.capacity).toHaveProperty('cpu');
      expect(metadata.annotations).not.toHaveProperty([lastAppliedVirtualCapacity]);
    });
  });

  test('have it from their join on', async () => {
    await promise({
      capacity: { cpu: 2, memory: '4Gi', gpu: 0 },
      instanceType: 's',
      region: 'r',
      zone: 'a',
      virtualCapacity: { 'example.com/slots': 7 },
    });
    await cluster.scale(pool, 4);
    machines = await untilRunning(scenario, pool, 4);
    await eachNode('Nodes have the capacity', ({ status }) => {
      expect(status.capacity).toMatchObject({ 'example.com/slots': '7' });
    });
  });
});
