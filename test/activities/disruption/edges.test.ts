/** Policies that open, close, change and go in the middle of a rollout, and processes that die. */
import { applyDeploymentSteps } from '../../../activities/machine-deployment/apply.ts';
import { customResource } from '../../../kube/client/paths.ts';
import type { DisruptionPolicySpec } from '../../../workflows/api/disruption-policy.ts';
import { options } from '../../../workflows/api/constants.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { DeploymentStep } from '../../../workflows/plan/machine-deployment/rollout/steps.ts';
import { aDisruptionPolicy, namespace } from '../../support/builders.ts';
import { HandSystem } from '../../support/hand-system.ts';
import { lifeOf } from '../../support/world.ts';
import { aPolicy, aRollingZone, onTheirWay, policyPath, PolicyWorld } from './policy-world.ts';

const hour = 3_600_000;
/** It begins on Thursday, 1 January 2026, at midnight UTC. */
let system: HandSystem;
let pool: PolicyWorld;
beforeEach(() => {
  system = new HandSystem();
});

/** From 02:00 to 06:00 each day. */
const nightly: DisruptionPolicySpec = { windows: [{ schedule: '0 2 * * *', duration: '4h' }] };

async function aPool(...policies: object[]): Promise<void> {
  const zones = ['a', 'b'].flatMap((name) => aRollingZone({ name, unavailable: 2 }));
  pool = await new PolicyWorld(...policies, ...zones).hear();
}

/** Returns the names of sets with their sizes. */
async function turns(name: string, count = 1): Promise<Record<string, number>> {
  for (let turn = 0; turn < count; turn += 1) {
    await system.run(() => pool.turn(name));
    await pool.hear();
  }
  return await pool.sizes();
}

async function planned(name: string): Promise<readonly DeploymentStep[]> {
  return (await system.run(() => pool.plan(name))).steps;
}

const apply = async (name: string, steps: readonly DeploymentStep[]) =>
  await system.run(() =>
    applyDeploymentSteps(pool.world, {
      deployment: lifeOf(name),
      steps: [...steps],
      scaling: { desired: 3, max: 3 },
    }),
  );

describe('a window', () => {
  beforeEach(() => aPool(aPolicy(nightly)));

  test('keeps a rollout from its first set, and lets it go on when it opens', async () => {
    const { gate } = await system.run(() => pool.observe('a'));
    expect(gate?.closed).toEqual({
      policy: 'pool',
      kind: 'time',
      why: 'waits for its window, Thu 2026-01-01 02:00 UTC',
      until: Date.UTC(2026, 0, 1, 2),
    });
    expect(await planned('a')).toEqual([]);
    await system.to(2 * hour);
    expect((await system.run(() => pool.observe('a'))).gate).toEqual({
      until: Date.UTC(2026, 0, 1, 6),
    });
    expect(await planned('a')).toMatchObject([{ action: 'createSet', disrupts: true }]);
  });

  test('that closes between the plan and its step lets nothing go any more', async () => {
    await system.to(2 * hour);
    await turns('a');
    const steps = await planned('a');
    expect(steps).toMatchObject([{ action: 'scaleSet', name: 'a-old', disrupts: true }]);
    await system.to(6 * hour);
    expect(await apply('a', steps)).toEqual({ written: [], isCut: true });
    expect(await pool.sizes()).toEqual({ 'a-old': 3, 'b-old': 3 });
    expect(pool.taken).toEqual([]);
  });

  test('does not keep a rollout from going back in the middle', async () => {
    await system.to(2 * hour);
    await turns('a');
    const steps = await planned('a');
    await system.to(6 * hour);
    await apply(
      'a',
      steps.map((step) => ({ ...step, isUrgent: true as const })),
    );
    expect(await pool.sizes()).toMatchObject({ 'a-old': 1 });
  });

  test('is lifted by an override, until its end', async () => {
    const path = customResource('machinedeployments', namespace, 'a');
    const annotations = { [options.overridePolicies]: '2026-01-01T01:00:00Z CVE-2026-1234' };
    await pool.control.patch(path, 'merge', { metadata: { annotations } });
    expect((await system.run(() => pool.observe('a'))).gate).toEqual({
      until: Date.UTC(2026, 0, 1, 1),
    });
    expect(await turns('a', 2)).toMatchObject({ 'a-old': 1 });
    await system.to(hour);
    expect(await planned('a')).toEqual([]);
    expect(await planned('b')).toEqual([]);
  });
});

test('an override lifts no number', async () => {
  await aPool(aPolicy({ ...nightly, atATime: { machines: 1 } }));
  const path = customResource('machinedeployments', namespace, 'a');
  const annotations = { [options.overridePolicies]: '2026-01-01T01:00:00Z CVE-2026-1234' };
  await pool.control.patch(path, 'merge', { metadata: { annotations } });
  expect(await turns('a', 5)).toMatchObject({ 'a-old': 2 });
});

test('of several policies all must allow it', async () => {
  const other = aDisruptionPolicy({ spec: { atATime: { machines: 1 } } });
  await aPool(aPolicy(nightly), other);
  expect(await planned('a')).toEqual([]);
  await system.to(2 * hour);
  expect(await turns('a', 5)).toMatchObject({ 'a-old': 2 });
});

describe('a process that dies after the grant and before the set shrinks', () => {
  beforeEach(async () => {
    await aPool(aPolicy({ atATime: { machines: 1 } }));
    await turns('a');
    await turns('b');
    pool.control.fault = ({ method, path }) =>
      method === 'PATCH' && path.endsWith('a-old') ? { code: 0, reason: 'Unreachable' } : undefined;
    await expect(turns('a')).rejects.toThrow('Unreachable');
    pool.control.fault = () => undefined;
    await pool.hear();
  });

  test('loses nothing: the next attempt takes the same', async () => {
    expect(await turns('b', 3)).toMatchObject({ 'a-old': 3, 'b-old': 3 });
    const writes = pool.control.writes().length;
    expect(await turns('a')).toMatchObject({ 'a-old': 2 });
    expect(pool.control.writes().slice(writes).join()).not.toContain('disruptionpolicies');
    expect(await turns('a', 3)).toMatchObject({ 'a-old': 2 });
  });

  test('and does not come back keeps others from it for ten minutes', async () => {
    await system.to(9 * 60_000);
    expect(await turns('b', 3)).toMatchObject({ 'b-old': 3 });
    await system.to(11 * 60_000);
    expect(await turns('b')).toMatchObject({ 'a-old': 3, 'b-old': 2 });
    expect(await turns('a', 3)).toMatchObject({ 'a-old': 3 });
    expect(await onTheirWay(pool)).toBe(1);
  });
});

describe('in the middle of a rollout', () => {
  beforeEach(async () => {
    await aPool(aPolicy({ atATime: { machines: 1 } }));
    expect(await turns('a', 5)).toMatchObject({ 'a-old': 2 });
  });

  test('a larger number is taken up', async () => {
    await pool.control.patch(policyPath, 'merge', { spec: { atATime: { machines: 2 } } });
    await pool.hear();
    expect(await turns('a', 3)).toMatchObject({ 'a-old': 1 });
  });

  test('a policy that is deleted holds nothing back, and what was planned under it is done', async () => {
    await pool.settleSets();
    const steps = await planned('a');
    await pool.control.patch(policyPath, 'merge', { metadata: { finalizers: null } });
    await pool.control.delete(policyPath);
    expect(await apply('a', steps)).not.toHaveProperty('isCut');
    await pool.hear();
    expect(await system.run(() => pool.observe('a'))).not.toHaveProperty('gate');
  });

  test('a CRD that is taken away is no error', async () => {
    await pool.settleSets();
    const steps = await planned('a');
    pool.control.serve('DisruptionPolicy', false);
    expect(await apply('a', steps)).not.toHaveProperty('isCut');
  });

  test('policies that cannot be read hold it, and nothing is taken', async () => {
    await pool.settleSets();
    const steps = await planned('a');
    pool.world.policies.current = () => ({ unreadable: 'they may not be read' });
    // Where there is no policy, nobody says that there is none: it is asked again.
    expect((await system.run(() => pool.observe('a'))).gate).toEqual({
      closed: { policy: '*', kind: 'fault', why: 'they may not be read' },
      until: expect.any(Number),
    });
    expect(await apply('a', steps)).toMatchObject({ isCut: true });
  });

  test('a step for which others left less room is cut', async () => {
    await pool.control.patch(policyPath, 'merge', { spec: { atATime: { machines: 2 } } });
    await pool.settleSets();
    const old = await pool.control.read<MachineSet>(
      customResource('machinesets', namespace, 'a-old'),
    );
    const { name, resourceVersion } = old.metadata;
    const step = { action: 'scaleSet' as const, name, resourceVersion, from: 2, replicas: 0 };
    const silent = customResource('machines', namespace, 'b-old-0');
    const status = { currentStatus: { phase: 'Unknown' } };
    await pool.control.patch(`${silent}/status`, 'merge', { status });
    const outcome = await apply('a', [{ ...step, reason: 'old ones go', disrupts: true }]);
    expect(outcome).toMatchObject({ written: [], isCut: true });
    expect(await pool.sizes()).toMatchObject({ 'a-old': 1 });
    expect(pool.taken.at(-1)).toBe('Rollout 1');
  });
});
