/**
 * Traces: a launch, a removal whose drain is blocked for a while, and a rollout are one each, with
 * links between them. Without the flag there are none.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import type { OtlpReceiver, ReceivedSpan } from '../support/otlp-receiver.ts';
import { eventually } from './support/eventually.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  machinesOf,
  untilPhase,
  untilRunning,
} from './support/machines.ts';
import { changeClass, createClass, untilComplete } from './support/rollouts.ts';
import { useScenario } from './support/scenario.ts';
import { Workloads } from './support/workloads.ts';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

const env = (): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new Error('there is none');
  return item;
}

/** Of the operation that has ended. */
function operation(name: string, object: object): Promise<ReceivedSpan> {
  return eventually(`the trace "${name}" has arrived`, async () => {
    const found = receiver.spans.filter((span) => span.name === name);
    const own = found.filter(({ attributes }) =>
      Object.entries(object).every(([key, value]) => attributes[key] === value),
    );
    expect(own).toHaveLength(1);
    return first(own);
  });
}

/** All spans of the same trace, the earliest first. */
function traceOf({ traceId }: ReceivedSpan): ReceivedSpan[] {
  return receiver.spans
    .filter((span) => span.traceId === traceId)
    .toSorted((a, b) => (a.start < b.start ? -1 : 1));
}

/** The root is the watcher's, the operation below it, and all the others below that. */
async function expectShape(span: ReceivedSpan, signal: string): Promise<ReceivedSpan> {
  return await eventually(`the trace of "${span.name}" is whole`, async () => {
    const spans = traceOf(span);
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
    expect(roots).toMatchObject([{ name: `signal ${signal}`, service: 'millwright-watcher' }]);
    const root = first(roots);
    expect(span).toMatchObject({ parentSpanId: root.spanId, service: 'millwright-worker' });
    const others = spans.filter((other) => other !== root && other !== span);
    for (const other of others) expect(other.parentSpanId).toBe(span.spanId);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(others.every(({ start }) => start >= root.start)).toBe(true);
    return root;
  });
}

describe('with --traces=otlp', () => {
  const scenario = useScenario('traced', { flags: ['--traces=otlp'], env, isDoubled: false });
  const { cloud, cluster, namespace, operator } = scenario;
  const workloads = new Workloads(scenario);

  test('a launch is one trace, with each attempt and the id of the request', async () => {
    await cloud.addFault({ operation: 'create', kind: 'error', code: 'Internal', times: 1 });
    const name = await createMachine(scenario, 'lone');
    const { spec } = await untilPhase(scenario, name, 'Running');
    const launch = await operation('launch Machine', { 'millwright.machine': name });
    expect(launch).toMatchObject({
      attributes: {
        'k8s.namespace.name': namespace,
        'millwright.provider': 'virtual',
        'millwright.provider_id': spec.providerID,
        'k8s.node.name': name,
        'millwright.outcome': 'Running',
        temporalWorkflowID: `machine/${namespace}/${name}`,
      },
      links: [],
      status: 0,
    });
    expect(launch.events).toEqual(['CrashLoopBackOff', 'Pending']);
    await expectShape(launch, 'machineObserved');
    const creates = traceOf(launch).filter((span) => span.name === 'createInstance');
    expect(creates).toHaveLength(2);
    for (const { attributes } of creates) {
      expect(attributes).toMatchObject({
        'millwright.machine': name,
        'millwright.provider': 'virtual',
        'millwright.provider_request_id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
    }
    expect(traceOf(launch).map((span) => span.name)).toContain('recordJoined');
    // Replays what is there.
    await operator.kill9('worker');
    await deleteMachine(scenario, name);
    const removal = await operation('removal Machine', { 'millwright.machine': name });
    expect(removal.traceId).not.toBe(launch.traceId);
    await expectShape(removal, 'machineObserved');
    expect(traceOf(removal).map((span) => span.name)).toContain('drainNode');
    const again = receiver.spans.filter(({ spanId }) => spanId === launch.spanId);
    expect(again).toHaveLength(1);
  });

  test('a rollout is one trace; launch and removal, blocked for a while, link to it', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1, minReadySeconds: 0 });
    const [old] = await untilRunning(scenario, pool, 1);
    const oldName = old?.metadata.name ?? '';
    await untilComplete(scenario, pool);
    const creation = await operation('rollout MachineDeployment', {
      'millwright.machine_deployment': pool,
    });
    await workloads.start({ app: 'guarded', nodeName: oldName, tolerates: 'dedicated' });
    await workloads.guard('guarded-0', { app: 'guarded', maxUnavailable: 0 });
    await changeClass(scenario, pool, await createClass(scenario, 'second'));
    await eventually('the drain is blocked', async () => {
      const { drainNode } = await scenario.workflows.pendingFailures('machine', oldName);
      expect(drainNode).toContain('PodDisruptionBudget');
    });
    await cluster.delete(workloads.budgets('guarded-0'));
    const [young] = await eventually('only the new machine is left', async () => {
      const machines = await machinesOf(scenario, pool);
      expect(machines).toHaveLength(1);
      expect(machines[0]?.metadata.name).not.toBe(oldName);
      return machines;
    });
    await untilComplete(scenario, pool);
    const rollout = await eventually('the second rollout has arrived', async () => {
      const all = receiver.spans.filter(({ name }) => name === 'rollout MachineDeployment');
      return first(all.filter(({ traceId }) => traceId !== creation.traceId));
    });
    const root = await expectShape(rollout, 'machineDeploymentObserved');
    expect(rollout.events.join('\n')).toMatch(/createSet.*\n(.*\n)*.*scaleSet/);
    const youngName = young?.metadata.name ?? '';
    const launch = await operation('launch Machine', { 'millwright.machine': youngName });
    const removal = await operation('removal Machine', { 'millwright.machine': oldName });
    const link = { traceId: root.traceId, spanId: root.spanId };
    expect(launch.links).toEqual([link]);
    expect(removal.links).toEqual([link]);
    // The failed attempts of the drain are told apart.
    const drains = traceOf(removal).filter(({ name }) => name === 'drainNode');
    expect(drains.length).toBeGreaterThan(1);
    expect(drains[0]).toMatchObject({ status: 2 });
    expect(drains.at(-1)).toMatchObject({ status: 0 });
    await deleteDeployment(scenario, pool);
  });

  test('no span holds user data, inputs or stacks', () => {
    const text = receiver.bodies.join('\n');
    expect(text).toContain(namespace);
    // The first is the user data of the class.
    expect(text).not.toMatch(/#!\/bin\/true|providerSpec|activities\/[a-z]/);
  });
});

describe('without the flag', () => {
  const scenario = useScenario('untraced', { env, isDoubled: false });

  test('nothing is sent, whatever the variables say', async () => {
    const before = receiver.bodies.length;
    const name = await createMachine(scenario, 'lone');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    const ours = receiver.bodies.slice(before).filter((body) => body.includes(name));
    expect(ours).toEqual([]);
  });
});
