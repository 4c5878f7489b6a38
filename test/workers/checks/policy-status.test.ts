import type { KnownPolicies } from '../../../kube/objects/disruption-policies.ts';
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import type { DisruptionPolicy } from '../../../workflows/api/disruption-policy.ts';
import { aDisruptionPolicy, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';
import { hourMs, Install, minuteMs, valueOf } from './install.ts';

const path = disruptionPolicy(namespace, 'weekend');
const policy = aDisruptionPolicy({ spec: { atATime: { machines: 2 } } });

function install(known: DisruptionPolicy[], { isLed = true } = {}) {
  const current: { policies: KnownPolicies } = { policies: { policies: known } };
  const world = aWorld({
    control: [policy],
    policies: { current: () => current.policies, noteWritten: () => {} },
    activeWatcher: { isActive: () => isLed },
  });
  return { its: new Install(world), world, current };
}

test('a round writes what a policy says of itself, and shows it', async () => {
  const { its, world, current } = install([policy]);
  current.policies = { policies: [await world.control.read<DisruptionPolicy>(path)] };
  const worker = its.startWorker('--safety-orphans=off');
  await its.pass(2 * minuteMs);
  const written = await world.control.read<DisruptionPolicy>(path);
  expect(written.status).toMatchObject({ open: true, going: 0, waiting: 0 });
  current.policies = { policies: [written] };
  const labels = { policy: 'weekend' };
  const prefix = 'millwright_disruption_policy';
  const values = ['open', 'going', 'allowed', 'waiting'].map(
    async (name) => await valueOf(worker, `${prefix}_${name}`, labels),
  );
  expect(await Promise.all(values)).toEqual([1, 0, 2, 0]);
  const writes = world.control.writes().length;
  await its.pass(hourMs);
  expect(world.control.writes().slice(writes).join()).not.toContain('disruptionpolicies');
});

test('one that was edited says so within seconds, whichever worker sees it first', async () => {
  const { its, world, current } = install([policy]);
  current.policies = { policies: [await world.control.read<DisruptionPolicy>(path)] };
  const workers = [its.startWorker('--safety-orphans=off'), its.startWorker()];
  for (const { edited } of workers) {
    edited();
    edited();
  }
  await its.pass(3_000);
  const { status } = await world.control.read<DisruptionPolicy>(path);
  expect(status).toMatchObject({ open: true });
  // The second one was refused, as the first one had written.
  const writes = world.control.writes().filter((call) => call.includes('disruptionpolicies'));
  expect(writes).toHaveLength(2);
});

test('without a policy, and without a watcher that leads, nothing is read for it', async () => {
  for (const { its, world } of [install([]), install([policy], { isLed: false })]) {
    its.startWorker('--safety-orphans=off');
    await its.pass(5 * minuteMs);
    expect(world.control.calls.join()).not.toContain('disruptionpolicies');
  }
});

test('a failure is said once, and the checks of the round are made', async () => {
  const { its, world } = install([policy]);
  world.control.fault = ({ path: called }) =>
    called.includes('disruptionpolicies') ? { code: 500, reason: 'InternalError' } : undefined;
  const worker = its.startWorker('--safety-orphans=off');
  await its.pass(10 * minuteMs);
  const said = worker.logged.filter(({ msg }) => msg.includes('DisruptionPolicies'));
  expect(said).toHaveLength(1);
  expect(its.runsOf('all').length).toBeGreaterThan(5);
});
