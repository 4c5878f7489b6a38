/** What a plan hears of the set whose rollout was finished last. */
import { observeMachineDeployment } from '../../../activities/machine-deployment/observe.ts';
import { nowMs } from '../../../activities/system/system.ts';
import { namespace } from '../../support/builders.ts';
import { aPolicy, aRollingZone, PolicyWorld } from '../disruption/policy-world.ts';

/** The facts of a rollout, and the condition that the read wrote. */
async function read(known: object, ...policies: object[]) {
  const pool = await new PolicyWorld(...policies, ...aRollingZone({ name: 'a' })).hear();
  const input = { deployment: { namespace, name: 'a' }, now: nowMs(), ...known };
  const outcome = await observeMachineDeployment(pool.world, input);
  const { status } = await pool.deployment('a');
  const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
  return { facts: outcome.found ? outcome.facts : undefined, progressing };
}

const closed = { exclusions: [{ start: '2000-01-01T00:00:00Z', end: '2200-01-01T00:00:00Z' }] };

test('its name is said during the rollout of another one, under a policy', async () => {
  const { facts, progressing } = await read({ lastFinished: 'a-old' }, aPolicy(closed));
  expect(facts).toMatchObject({ finishedSet: 'a-old' });
  expect(progressing).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
  expect(progressing?.message).toMatch(/^DisruptionPolicy pool: /);
});

test('its name is that of the last one also at the first read after the template changed', async () => {
  expect((await read({ finished: 'a-old' }, aPolicy({}))).facts).toMatchObject({
    finishedSet: 'a-old',
  });
});

test('without a policy it is not said, and nothing holds', async () => {
  const { facts } = await read({ finished: 'a-old', lastFinished: 'a-older' });
  expect(facts).not.toHaveProperty('finishedSet');
});
