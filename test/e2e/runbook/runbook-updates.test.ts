/** An update in place that failed: found, tried again and given up by its runbook. */
import { useInPlace } from '../support/in-place.ts';
import { untilGone, untilPhase } from '../support/machines.ts';
import { Runbook } from '../support/runbook.ts';
import { untilExplained, untilNotStuck } from '../support/runbook-findings.ts';

describe('the runbook of an update in place', () => {
  const inPlaces = useInPlace('runbook-updates');
  const { scenario } = inPlaces;

  test('that failed: others are kept from it, it is tried again, or given up', async () => {
    const inPlace = await inPlaces.begin({ replicas: 3, agents: 'failed' });
    const { name: POOL } = inPlace.rollout;
    await inPlace.changeTemplate('two');
    const pageOf = (MACHINE: string) => Runbook.of(scenario, 'update-failed', { MACHINE, POOL });
    const first = await untilFailed();
    const page = await pageOf(first);
    await untilExplained(page, {
      trouble: 'update-failed',
      object: `machine/${first}`,
      cause: 'the update agent was told to fail',
      way: `millwright retry-update machine/${first}`,
    });
    const seen = await page.run('Look');
    expect(seen).toContain('step 5 of 5, UpdateFailed');
    expect(seen).toMatch(/update-failed-reason": "the update agent was told to fail/);
    await page.run('Keep others from failing alike');
    expect((await inPlace.rollout.deployment()).spec.paused).toBe(true);
    await inPlace.tell(first, 'successful');
    await page.run('Try it again');
    await inPlace.untilMoved([first]);
    await untilNotStuck(page, 'update-failed');
    await page.run('Go on with the others');

    const second = await untilFailed();
    for (const name of inPlace.names) await inPlace.tell(name, 'successful');
    await (await pageOf(second)).run('Give the machine up');
    await untilGone(scenario, scenario.cluster.pathOf('machines', second));
    await inPlace.expectUpdated({ made: 1 });
    expect(await inPlace.deleted()).toEqual([second]);

    async function untilFailed(): Promise<string> {
      const [name = ''] = await inPlace.untilSome(1, 'UpdateFailed');
      await untilPhase(scenario, name, 'InPlaceUpdateFailed');
      return name;
    }
  });
});
