/**
 * Temporal and the API server themselves are stopped, and Temporal's database is emptied: found and
 * healed by their runbooks. Runs alone.
 */
import { signalProcess } from '../../../deploy/local/supervision/identity.ts';
import { componentOf } from '../support/components.ts';
import { eventually } from '../../support/eventually.ts';
import { Runbook } from '../support/runbook.ts';
import { useServedPool } from '../support/served-pool.ts';
import { emptyTemporal } from '../support/temporal-database.ts';
import { testStack } from '../support/test-stack.ts';
import { ofObjects } from '../support/workflow-records.ts';

const server = (name: string) => componentOf(testStack().layout.stateDir, name);

/** It accepts connections and answers nothing, as a server does whose disk stands still. */
async function whileStopped(name: string, look: () => Promise<void>): Promise<void> {
  signalProcess(server(name), 'SIGSTOP');
  try {
    await look();
  } finally {
    signalProcess(server(name), 'SIGCONT');
  }
}

describe('the runbook of a server', () => {
  const pool = useServedPool('outage-runbook-servers');
  const { scenario } = pool;
  const { cluster, cloud, workflows } = scenario;

  async function expectScaledTo(count: number): Promise<void> {
    await pool.expectScaledTo(count);
    const { createsPerName } = await cloud.calls();
    expect(Object.values(createsPerName)).toEqual(Array.from({ length: count }, () => 1));
  }

  test('Temporal, which stands still', async () => {
    const page = await Runbook.of(scenario, 'temporal-down');
    await whileStopped('temporal', async () => {
      await eventually('the page sees that it does not answer, and since when', async () => {
        const seen = await page.run('Look');
        expect(seen).toContain('no answer from');
        expect(seen).toMatch(/"reason":"temporal","from":"[^"]*"\}\]/);
      });
    });
    await page.run('Afterwards');
    await expectScaledTo(2);
  });

  test('the API server, which stands still', async () => {
    const page = await Runbook.of(scenario, 'api-server-down');
    await whileStopped('kube-apiserver', async () => {
      await eventually('the page sees that it does not answer, and since when', async () => {
        const seen = await page.run('Look');
        expect(seen).toMatch(/^control: no answer$/m);
        expect(seen).toMatch(/^frozen: control, target since 20/m);
      });
    });
    await page.run('Repair');
    await page.run('Afterwards');
    await expectScaledTo(3);
  });

  test('Temporal, whose database is empty', async () => {
    const page = await Runbook.of(scenario, 'temporal-lost');
    const machines = (await cluster.machines()).length;
    // With the MachineDeployment and its MachineSet.
    const objects = machines + 2;
    await emptyTemporal();
    await eventually('the page sees that nothing is there', async () => {
      expect(await page.run('Look')).toMatch(new RegExp(`^${objects}\\nTotal: 0$`, 'm'));
    });
    await page.run('Give an empty database what it needs');
    await page.run('Start watcher and worker again');
    await eventually('the workflows run again', async () => {
      expect(await workflows.running(ofObjects)).toHaveLength(objects);
    });
    // The worker makes the Schedules in its first seconds.
    await eventually('the check can be started', async () => {
      await page.run('Start the workflows again');
    });
    await expectScaledTo(machines + 1);
  });
});
