/**
 * Deadlines run only while the system could act: an outage that begins and ends inside one fails no
 * machine.
 */
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import type { Scenario } from '../support/scenario.ts';
import { useScenario } from '../support/scenario.ts';
import { TemporalOutage } from '../support/temporal-outage.ts';

/** A busy machine has 20 s for what comes before the outage, and 20 s for what comes after it. */
const timeoutSeconds = 60;
const outageSeconds = 40;
const timeout = `${timeoutSeconds}s`;

interface Outage {
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

async function untilTime(what: string, time: number): Promise<void> {
  await eventually(what, () => expect(Date.now()).toBeGreaterThan(time));
}

/**
 * One machine waits for its health, another for its Node. Returns their phases after both timeouts,
 * before they get well.
 */
async function sitOut(scenario: Scenario, { begin, end }: Outage): Promise<string[]> {
  const { cluster, cloud } = scenario;
  const ill = await createMachine(scenario, 'ill', { healthTimeout: timeout });
  await untilPhase(scenario, ill, 'Running');
  const { name: late } = scenario.named('late');
  await cloud.addFault({ operation: 'create', kind: 'joinNotReady', match: late, times: 1 });
  await createMachine(scenario, 'late', { creationTimeout: timeout });
  await setReady(scenario, ill, false);
  await untilPhase(scenario, late, 'Pending');
  await untilPhase(scenario, ill, 'Unknown');

  const begun = Date.now();
  await begin();
  await untilTime('the outage has lasted', begun + outageSeconds * 1_000);
  await end();
  // Both timeouts began before the outage did.
  await untilTime('both timeouts are over', begun + (timeoutSeconds + 5) * 1_000);
  const phases = await cluster.phases();
  await setReady(scenario, ill, true);
  await setReady(scenario, late, true);
  await untilPhase(scenario, ill, 'Running');
  await untilPhase(scenario, late, 'Running');
  await deleteMachine(scenario, ill);
  await deleteMachine(scenario, late);
  return [phases[ill] ?? '', phases[late] ?? ''];
}

describe('inside a creation timeout and a health timeout', () => {
  const temporal = new TemporalOutage();
  // Before the scenario's processes, which ask for its address.
  beforeAll(() => temporal.start());
  const ofWatcher = useScenario('no-watcher-inside', { isDoubled: false });
  const ofTemporal = useScenario('no-temporal-inside', { isDoubled: false, ...temporal.options });
  afterAll(() => temporal.stop());

  // Side by side: an outage takes its time.
  test('an outage of the watcher, or of Temporal, fails no machine', async () => {
    const { operator } = ofWatcher;
    const phases = await Promise.all([
      sitOut(ofWatcher, {
        begin: () => operator.retire('watcher'),
        end: () => operator.startAgain('watcher'),
      }),
      sitOut(ofTemporal, { begin: () => temporal.begin(), end: () => temporal.end() }),
    ]);
    expect(phases).toEqual([
      ['Unknown', 'Pending'],
      ['Unknown', 'Pending'],
    ]);
  });
});
