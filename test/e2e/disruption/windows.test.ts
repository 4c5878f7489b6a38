/**
 * A DisruptionPolicy whose times let a rollout go and hold it, while watcher and worker die, and
 * the way past it.
 */
import { options } from '../../../workflows/api/constants.ts';
import { eventually } from '../../support/eventually.ts';
import { millwright } from '../support/command.ts';
import { closedUntil, Policy, timeIn } from '../support/policies.ts';
import {
  secondClass,
  thirdClass,
  useRollouts,
  type Rollout,
} from '../support/rollout-under-test.ts';
import { untilCondition } from '../support/rollouts.ts';

describe('a rollout under a DisruptionPolicy', () => {
  const rollouts = useRollouts('windows', { isDoubled: false });
  const { scenario } = rollouts;
  let policy: Policy | undefined;

  afterEach(async () => {
    await policy?.delete();
    policy = undefined;
  });

  async function aPolicy(spec: Parameters<typeof Policy.create>[2]): Promise<Policy> {
    policy = await Policy.create(scenario, 'weekend', spec);
    await policy.until({ open: spec.exclusions === undefined });
    return policy;
  }

  async function untilHeld(rollout: Rollout): Promise<void> {
    await rollout.untilFound('State="Paused" and BlockedBy="DisruptionPolicy/weekend"');
    const held = { status: 'Unknown', reason: 'DeploymentPaused' };
    expect(await untilCondition(scenario, rollout.name, held)).toContain('weekend');
  }

  /** Both start again by themselves. */
  async function killBoth(): Promise<void> {
    await scenario.operator.kill9('worker');
    await scenario.operator.kill9('watcher');
  }

  /** No set is made, and none changes its size, while something unrelated goes the whole way. */
  async function expectHeldThroughKills(rollout: Rollout): Promise<void> {
    await untilHeld(rollout);
    await killBoth();
    await rollout.expectStandstill();
    await untilHeld(rollout);
  }

  test('waits for it to open, stands still when it closes in the middle, and goes on', async () => {
    const rollout = await rollouts.begin({ replicas: 6, maxSurge: 1 });
    const weekend = await aPolicy({ exclusions: [closedUntil()] });
    await rollout.changeClass(secondClass);
    await expectHeldThroughKills(rollout);
    expect(await rollout.revisions()).toHaveLength(1);

    const opens = timeIn(5);
    await weekend.edit({ exclusions: [closedUntil(opens)] });
    await rollout.untilMiddle();
    const began = rollout.recorder.timeOf('two sets', ({ sets }) =>
      Object.keys(sets).some((set) => set !== rollout.firstSet),
    );
    expect(began).toBeGreaterThanOrEqual(Date.parse(opens));

    await weekend.edit({ exclusions: [closedUntil()] });
    await weekend.until({ open: false });
    await expectHeldThroughKills(rollout);
    const { sizes } = rollout;
    expect(sizes.old).toBeGreaterThan(0);
    const held = rollout.recorder.mark();

    const opensAgain = timeIn(5);
    await weekend.edit({ exclusions: [closedUntil(opensAgain)] });
    // It comes back into a gate that opens while nobody is there to see it.
    await killBoth();
    await rollout.expectEnd({ class: secondClass, replicas: 6 });
    rollout.recorder.expectBounds({ maxTotal: 7, minAvailable: 6 });
    const wentOn = rollout.recorder.states
      .slice(held)
      .find(({ sets }) => (sets[rollout.firstSet]?.wanted ?? 0) < sizes.old);
    expect(wentOn?.at.getTime()).toBeGreaterThanOrEqual(Date.parse(opensAgain));
  });

  test('closes at a time that was known before', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    const closes = timeIn(5);
    const exclusion = { start: closes, end: timeIn(3_600) };
    const weekend = await aPolicy({});
    await weekend.edit({ exclusions: [exclusion] });
    await weekend.until({ open: false });
    await rollout.changeClass(secondClass);
    await untilHeld(rollout);
    expect(await rollout.revisions()).toHaveLength(1);
    await weekend.edit({ exclusions: null });
    await rollout.expectEnd({ class: secondClass, replicas: 2 });
  });

  test('serves replicas while it is held', async () => {
    const rollout = await rollouts.begin({ replicas: 2, maxSurge: 1 });
    const weekend = await aPolicy({ exclusions: [closedUntil()] });
    await rollout.changeClass(secondClass);
    await untilHeld(rollout);
    await scenario.cluster.scale(rollout.name, 4);
    await rollout.recorder.markWhen('4 machines are available', ({ available }) => available === 4);
    await scenario.cluster.scale(rollout.name, 3);
    await rollout.recorder.markWhen('3 machines are left', ({ total }) => total === 3);
    expect(await rollout.revisions()).toHaveLength(1);
    await weekend.edit({ exclusions: null });
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
  });

  test('goes past it for a while, by the command, and never past its limit of machines', async () => {
    const rollout = await rollouts.begin({ replicas: 3, maxSurge: 2 });
    await aPolicy({ exclusions: [closedUntil()], atATime: { machines: 1 } });
    await rollout.changeClass(secondClass);
    await untilHeld(rollout);
    await eventually('status counts the machines that wait', async () => {
      const { stdout } = await millwright(scenario, ['status', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({
        policies: [{ name: 'weekend', open: false, waiting: 3 }],
      });
    });
    const explained = await millwright(scenario, ['explain', `mcd/${rollout.name}`]);
    expect(explained.text).toMatch(/Policy: +weekend is closed until .* UTC \(in \d+m\)/);

    const words = ['rollout', 'now', `mcd/${rollout.name}`];
    const without = await millwright(scenario, [...words, '--for=4h']);
    expect(without).toMatchObject({ code: 2, text: expect.stringContaining('--reason') });
    const asked = ['--for=4h', '--reason=CVE-2026-1234', '-o=json'];
    const { code, stdout } = await millwright(scenario, [...words, ...asked]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { reason: 'CVE-2026-1234' }]);
    await rollout.untilEvent('PolicyOverridden | ');
    await killBoth();
    await rollout.expectEnd({ class: secondClass, replicas: 3 });
    rollout.recorder.expectBounds({ maxTotal: 5, minAvailable: 3 });
    const most = rollout.recorder.states.map(({ total, active }) => total - active);
    expect(Math.max(...most)).toBe(1);

    const text = `${timeIn(5)} it is over soon`;
    await rollout.annotate({ [options.overridePolicies]: text });
    await rollout.untilEvent('PolicyOverrideEnded | ');
    const told = (await rollout.events()).filter((event) => event.startsWith('PolicyOverr'));
    expect(told.some((event) => /CVE-2026-1234 \(by \S+\)$/.test(event))).toBe(true);
    await rollout.changeClass(thirdClass);
    await untilHeld(rollout);
    // As a command of a person in the Temporal UI.
    expect(
      await rollout.update('overridePolicies', { minutes: 60, reason: 'a form', by: 'ada' }),
    ).toMatch(/^Policies overridden until .*: a form$/);
    await rollout.expectEnd({ class: thirdClass, replicas: 3 });
  });

  test('an override that lasts too long, or has no reason, is an invalid option', async () => {
    const rollout = await rollouts.begin({ replicas: 1 });
    await rollout.annotate({ [options.overridePolicies]: timeIn(60) });
    await rollout.changeClass(secondClass);
    await rollout.untilFound('State="Paused" and BlockedBy="options"');
    await eventually('the condition says what is allowed', async () => {
      const held = { status: 'Unknown', reason: 'DeploymentPaused' };
      expect(await untilCondition(scenario, rollout.name, held)).toContain(
        'must be a time of at most 7 days from now and a reason',
      );
    });
    await rollout.annotate({ [options.overridePolicies]: null });
    await rollout.expectEnd({ class: secondClass, replicas: 1 });
  });
});
