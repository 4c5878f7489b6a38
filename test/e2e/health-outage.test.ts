/** An outage of the API server is nobody's illness. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from './support/machines.ts';
import { setReady } from './support/node-health.ts';
import { useScenario } from './support/scenario.ts';
import { WorkerOutage } from './support/worker-outage.ts';

describe('while the worker has no API server', () => {
  const outage = new WorkerOutage();
  // In this order: the worker is started after its relay.
  beforeAll(() => outage.start());
  const scenario = useScenario('health-outage', { workerAccess: () => outage.access });
  afterAll(() => outage.stop());

  test('the clock of an Unknown machine stands still, and it is Running again afterwards', async () => {
    const name = await createMachine(scenario, 'cut', { healthTimeout: '8s' });
    await untilPhase(scenario, name, 'Running');
    await setReady(scenario, name, false);
    await untilPhase(scenario, name, 'Unknown');
    outage.begin();
    const begun = Date.now();
    try {
      await eventually('an outage longer than the timeout is over', async () => {
        const { details } = await scenario.workflows.pageOf('machine', name);
        expect(details).toContain('cannot look at its health');
        expect(Date.now() - begun).toBeGreaterThan(12_000);
      });
      await setReady(scenario, name, true);
    } finally {
      outage.end();
    }
    await untilPhase(scenario, name, 'Running');
    const reasons = (await scenario.cluster.events('Machine', name)).map(({ reason }) => reason);
    expect(reasons).not.toContain('HealthTimeout');
    await deleteMachine(scenario, name);
  });
});
