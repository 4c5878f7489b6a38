/** A drain that waits for a volume: made, found and healed by the commands of its runbook. */
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { untilExplained } from '../support/runbook-findings.ts';
import { Runbook } from '../support/runbook.ts';
import { useScenario } from '../support/scenario.ts';
import { Volumes } from '../support/volumes.ts';
import { Workloads } from '../support/workloads.ts';

describe('the runbook of a drain', () => {
  const scenario = useScenario('runbook-volumes', {
    workerFlags: ['--machine-pv-detach-timeout=10m'],
  });
  const { cluster } = scenario;
  const workloads = new Workloads(scenario);
  const volumes = new Volumes(scenario);

  const pathOf = (name: string): string => cluster.pathOf('machines', name);

  test('that waits for a volume: go on without', async () => {
    const name = await createMachine(scenario, 'stored');
    await untilPhase(scenario, name, 'Running');
    await volumes.attach('data', name);
    await workloads.start({ app: 'stored', nodeName: name, claims: ['data'] });
    await cluster.delete(pathOf(name));
    const page = await Runbook.of(scenario, 'drain-volume', { MACHINE: name });
    await untilExplained(page, {
      trouble: 'drain-volume',
      object: `machine/${name}`,
      cause: volumes.volumeOf('data'),
      way: `millwright skip-volume-wait machine/${name}`,
    });
    expect(await page.run('Look')).toContain(`${volumes.volumeOf('data')}\tnobody\twanted`);
    await page.run('Go on without waiting');
    await untilGone(scenario, pathOf(name));
    await workloads.end('stored');
    await volumes.remove('data');
  });
});
