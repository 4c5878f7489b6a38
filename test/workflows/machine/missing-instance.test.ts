/** A machine whose instance may be gone: the cloud is asked twice, and the Node is heard. */
import type { DescribeOutcome } from '../../../workflows/contracts/driver-contract.ts';
import type {
  HealthOutcome,
  HealthRequest,
} from '../../../workflows/contracts/machine-activities.ts';
import type { MissingInstance } from '../../../workflows/contracts/snapshots.ts';
import { instanceMissing } from '../../../workflows/contracts/messages.ts';
import { keys } from '../../../workflows/contracts/search-attributes.ts';
import { longestKeywordBytes } from '../../../workflows/values/clip.ts';
import type { Steps } from '../../support/call-log.ts';
import { eventually } from '../../support/eventually.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { cluster, instance, MachineWorld } from './machine-world.ts';

const temporal = TemporalForTests.ofFile();

const missing: DescribeOutcome = { outcome: 'missing', settleSeconds: 30 };
const told: MissingInstance = {
  cluster,
  uid: 'uid-1',
  providerID: instance.providerID,
  confirmAfterSeconds: 120,
};
const sick = { isReady: false, conditionsDigest: 'sick' };
const faults = ['Ready is Unknown'];

/** As the activity: only an Unknown machine turns Failed. */
function ill() {
  let isUnknown = false;
  return async ({ isInstanceGone, since, now }: HealthRequest): Promise<HealthOutcome> => {
    const phase = isUnknown && isInstanceGone ? 'Failed' : 'Unknown';
    isUnknown = true;
    return {
      found: 'machine',
      finding: { phase, since: since ?? now, timeoutSeconds: 600, faults },
    };
  };
}

async function running(steps: Partial<Steps>): Promise<MachineWorld> {
  return await MachineWorld.create(temporal, steps);
}

async function untilForgotten(world: MachineWorld): Promise<void> {
  await eventually('the doubt is gone', async () => (await world.state()).missing === undefined);
}

test('the search gets no more of a long providerID than it takes', async () => {
  const providerID = `local:///${'zone-1/'.repeat(40)}i-1`;
  const world = await running({
    describeInstance: async () => missing,
    createInstance: async () => ({ outcome: 'created', instance: { ...instance, providerID } }),
  });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.handle.signal(instanceMissing, { ...told, providerID });
    await world.log.until('describeInstance');
    await temporal.skip(130);
    await world.phase('Failed');
    const { typedSearchAttributes } = await world.handle.describe();
    expect(typedSearchAttributes.get(keys.BlockedBy)).toHaveLength(longestKeywordBytes);
  });
});

test('a machine that the cloud does not know twice and whose Node is unhealthy is Failed long before its health timeout, and found by the search', async () => {
  const world = await running({ describeInstance: async () => missing, checkHealth: ill() });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.joinNode(sick);
    await world.phase('Unknown');
    await world.handle.signal(instanceMissing, told);
    await world.log.until('describeInstance');
    await temporal.skip(100);
    expect(world.log.count('describeInstance')).toBe(1);
    expect((await world.state()).phase).toBe('Unknown');
    await temporal.skip(30);
    await world.phase('Failed');
    expect(world.log.inputsOf('describeInstance')).toMatchObject([
      { providerID: instance.providerID, provider: 'virtual' },
      { providerID: instance.providerID },
    ]);
    const { typedSearchAttributes } = await world.handle.describe();
    expect(typedSearchAttributes.get(keys.BlockedBy)).toBe(
      `instance ${instance.providerID} is gone`,
    );
    expect(typedSearchAttributes.get(keys.Attention)).toBe('person');
  });
});

test('a machine with a healthy Node stays Running although the cloud does not know its instance', async () => {
  const world = await running({ describeInstance: async () => missing });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.handle.signal(instanceMissing, told);
    await world.log.until('describeInstance');
    await temporal.skip(130);
    await world.log.until('checkHealth');
    await untilForgotten(world);
    expect((await world.state()).phase).toBe('Running');
    expect(world.log.inputsOf('checkHealth')).toMatchObject([{ isInstanceGone: true }]);
  });
});

test.each<[string, DescribeOutcome]>([
  ['finds it', { outcome: 'found', instance: { providerID: 'i', nodeName: 'n' } }],
  [
    'does not answer',
    { outcome: 'failed', failure: { code: 'Unavailable', message: 'no', isSettled: true } },
  ],
])('a cloud that %s at the second look ends the doubt', async (_words, second) => {
  const answers = [missing, second];
  const world = await running({ describeInstance: async () => answers.shift() ?? second });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.handle.signal(instanceMissing, told);
    await world.log.until('describeInstance');
    await temporal.skip(130);
    await world.log.until('describeInstance', 2);
    await untilForgotten(world);
    expect(world.log.count('checkHealth')).toBe(0);
  });
});

test.each<[string, Partial<MissingInstance>]>([
  ['another cluster', { cluster: 'another' }],
  ['another life', { uid: 'uid-0' }],
  ['another instance', { providerID: 'local:///zone-1/i-0' }],
])('a signal that the instance of %s is missing is ignored', async (_words, changes) => {
  const world = await running({ describeInstance: async () => missing });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.handle.signal(instanceMissing, { ...told, ...changes });
    expect((await world.state()).missing).toBeUndefined();
  });
});

test('a machine that is still to join is Failed without waiting for its creation timeout', async () => {
  const world = await running({ describeInstance: async () => missing });
  await world.run(async () => {
    await world.begin();
    await world.phase('Pending');
    await world.handle.signal(instanceMissing, told);
    await world.log.until('describeInstance');
    await temporal.skip(130);
    await world.phase('Failed');
    expect(world.log.count('recordTimeout')).toBe(0);
  });
});

test('a deletion goes before the doubt', async () => {
  const world = await running({ describeInstance: async () => missing });
  await world.run(async () => {
    await world.beginAndJoin();
    await world.handle.signal(instanceMissing, told);
    await eventually('the first answer is noted, and the second one due later', async () => {
      const { missing: doubt } = await world.state();
      return doubt?.missedAt !== undefined;
    });
    await world.requestDeletion();
    await world.log.until('finishTeardown');
    expect(world.log.count('describeInstance')).toBe(1);
  });
});
