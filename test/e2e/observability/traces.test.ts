/**
 * Traces: a launch and a removal are one each. Without the flag there are none. `traces-rollout`
 * has the links between them, by night.
 */
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { useTraces } from '../support/traces.ts';

const traces = useTraces();
const { env, expectShape, operation, traceOf } = traces;

describe('with --traces=otlp', () => {
  const scenario = useScenario('traced', { flags: ['--traces=otlp'], env, isDoubled: false });
  const { cloud, namespace, operator } = scenario;

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
    // Spans of activities and of workflows are sent apart.
    const creates = await eventually('the steps of the launch have arrived', () => {
      const spans = traceOf(launch);
      expect(spans.map(({ name: step }) => step)).toContain('recordJoined');
      const found = spans.filter((span) => span.name === 'createInstance');
      expect(found).toHaveLength(2);
      return found;
    });
    for (const { attributes } of creates) {
      expect(attributes).toMatchObject({
        'millwright.machine': name,
        'millwright.provider': 'virtual',
        'millwright.provider_request_id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
    }
    // Replays what is there.
    await operator.kill9('worker');
    await deleteMachine(scenario, name);
    const removal = await operation('removal Machine', { 'millwright.machine': name });
    expect(removal.traceId).not.toBe(launch.traceId);
    await expectShape(removal, 'machineObserved');
    await eventually('the steps of the removal have arrived', () => {
      expect(traceOf(removal).map((span) => span.name)).toContain('drainNode');
    });
    const again = traces.receiver.spans.filter(({ spanId }) => spanId === launch.spanId);
    expect(again).toHaveLength(1);
  });

  test('no span holds user data, inputs or stacks', () => {
    const text = traces.receiver.bodies.join('\n');
    expect(text).toContain(namespace);
    // The first is the user data of the class.
    expect(text).not.toMatch(/#!\/bin\/true|providerSpec|activities\/[a-z]/);
  });
});

describe('without the flag', () => {
  const scenario = useScenario('untraced', { env, isDoubled: false });

  test('nothing is sent, whatever the variables say', async () => {
    const before = traces.receiver.bodies.length;
    const name = await createMachine(scenario, 'lone');
    await untilPhase(scenario, name, 'Running');
    await deleteMachine(scenario, name);
    const ours = traces.receiver.bodies.slice(before).filter((body) => body.includes(name));
    expect(ours).toEqual([]);
  });
});
