/**
 * Processes and servers that are away: made, found and healed by their runbooks. Only the watcher
 * and worker of this scenario are cut off; outage-runbook-servers.test.ts stops the servers.
 */
import { deployments } from '../../../cli/install/deployments.ts';
import { ApiOutage } from '../support/api-outage.ts';
import { eventually } from '../../support/eventually.ts';
import { Runbook } from '../support/runbook.ts';
import { untilStuck } from '../support/runbook-findings.ts';
import { useServedPool } from '../support/served-pool.ts';
import { TemporalOutage } from '../support/temporal-outage.ts';

describe('the runbook of', () => {
  const apiServer = new ApiOutage('runbook-servers', 'target', 'millwright-controller');
  const temporal = new TemporalOutage();
  // In this order: the worker is started after its relays.
  beforeAll(async () => {
    await apiServer.start();
    await temporal.start();
  });
  const pool = useServedPool('runbook-servers', {
    ...apiServer.options,
    ...temporal.options,
  });
  const { scenario, expectScaledTo } = pool;
  const { cluster, namespace } = scenario;
  afterAll(async () => {
    await apiServer.stop();
    await temporal.stop();
  });

  test('a worker that nobody runs', async () => {
    const page = await Runbook.of(scenario, 'worker-down');
    await cluster.kube.patch(deployments(namespace, 'millwright-worker'), 'merge', {
      spec: { replicas: 0 },
    });
    await untilStuck(page, {
      trouble: 'worker-down',
      object: 'deployment/millwright-worker',
      cause: 'the worker is scaled to 0',
      way: 'describe deployment millwright-worker',
    });
    await eventually('the page shows 0 of 0 workers', async () => {
      expect(await page.run('Look')).toMatch(/^millwright-worker +0\/0 /m);
    });
    await cluster.scale(pool.name(), 2);
    await page.run('The Deployment is scaled to 0');
    await expectScaledTo(2);
  });

  test('a Temporal that does not answer', async () => {
    const page = await Runbook.of(scenario, 'temporal-down');
    temporal.begin();
    await eventually('the page sees since when', async () => {
      expect(await page.run('Look')).toMatch(/"reason":"temporal","from":"[^"]*"\}\]/);
    });
    await untilStuck(page, {
      trouble: 'temporal-down',
      object: 'lease/millwright',
      cause: 'Temporal does not answer the watcher',
    });
    await cluster.scale(pool.name(), 3);
    temporal.end();
    await page.run('Afterwards');
    await expectScaledTo(3);
  });

  test('the API server of the Nodes that does not answer', async () => {
    const page = await Runbook.of(scenario, 'api-server-down');
    apiServer.begin();
    await eventually('the page sees which one, and since when', async () => {
      expect(await page.run('Look')).toMatch(/^frozen: target since 20/m);
    });
    await untilStuck(page, {
      trouble: 'api-server-down',
      object: 'lease/millwright',
      cause: 'the API server of the Nodes does not answer',
    });
    await page.run('Repair');
    apiServer.end();
    expect(await page.run('Afterwards')).toContain(`${pool.name()}-`);
    await expectScaledTo(4);
  });
});
