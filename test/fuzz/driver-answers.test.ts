/** Answers of drivers in any form: a clear failure, and never a lost instance. */
import fc from 'fast-check';
import { machineErrorCodes } from '../../workflows/api/failures.ts';
import type { Pending } from '../../workflows/contracts/driver-contract.ts';
import { createdBy, deletedBy, listedBy } from '../../workflows/contracts/driver-answers.ts';
import { spoiled } from '../support/fuzz/payloads.ts';
import { counterexample } from '../support/fuzz/runs.ts';
import { unsoundParts } from '../support/fuzz/soundness.ts';
import { TemporalForTests } from '../support/temporal.ts';
import { resultOf } from '../support/result-of.ts';
import { instance, MachineWorld } from '../workflows/machine/machine-world.ts';

const asked = { provider: 'elsewhere', usesTarget: true, isCancelled: false };
const found = { ...instance, lastKnownState: 'up', addresses: [{ type: 'a', address: 'b' }] };
const created = { outcome: 'created', instance: found };
const deleted = { outcome: 'deleted', isFound: true, settleSeconds: 30 };
const failure = { code: 'NotFound', message: 'm', isSettled: true, retryAfterSeconds: 3 };
const failed = { outcome: 'failed', failure };

/** As it comes over the wire: nobody checked its types. */
function answered(answer: unknown): ReturnType<typeof JSON.parse> {
  return JSON.parse(JSON.stringify(answer ?? null));
}

const inFailures = spoiled(failure).map((part) => ({ ...failed, failure: part }));
const ofCreate = fc.oneof(
  spoiled(created),
  spoiled(found).map((part) => ({ ...created, instance: part })),
  inFailures,
);
const listing = { providerID: 'i-1', machineName: 'a', token: 't-0', createdAt: 5 };
const listed = { outcome: 'listed', instances: [listing] };
const ofList = fc.oneof(
  spoiled(listed),
  spoiled(listing).map((part) => ({ ...listed, instances: [listing, part] })),
  inFailures,
);
const ofDelete = fc.oneof(spoiled(deleted), inFailures);

function expectFailureInWords(outcome: unknown): void {
  expect(outcome).toMatchObject({
    outcome: 'failed',
    failure: {
      code: expect.stringMatching(new RegExp(`^(${machineErrorCodes.join('|')})$`)),
      message: expect.stringMatching(/\S/),
      isSettled: expect.any(Boolean),
    },
  });
  expect(unsoundParts(outcome)).toEqual([]);
  expect(JSON.stringify(outcome).length).toBeLessThan(10_000);
}

function expectInstanceOrFailure(answer: unknown): void {
  const outcome = createdBy(answered(answer), asked);
  if (outcome.outcome === 'failed') {
    expectFailureInWords(outcome);
    return;
  }
  if (outcome.outcome === 'pending') {
    expectPendingInOrder(outcome);
    return;
  }
  const { providerID, nodeName, isFound } = outcome.instance;
  expect(providerID).toMatch(/./);
  expect(nodeName).toMatch(/^[a-z0-9][a-z0-9.-]*$/);
  expect(typeof isFound).toBe('boolean');
}

function expectPendingInOrder({ message, pollAfterSeconds, checkpoint = '' }: Pending): void {
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2_100);
  expect(pollAfterSeconds).toBeGreaterThanOrEqual(1);
  expect(pollAfterSeconds).toBeLessThanOrEqual(3_600);
  expect(checkpoint.length).toBeLessThanOrEqual(4_096);
}

function expectGoneOrFailure(answer: unknown): void {
  const outcome = deletedBy(answered(answer), asked);
  if (outcome.outcome === 'failed') {
    expectFailureInWords(outcome);
    return;
  }
  if (outcome.outcome === 'pending') {
    expectPendingInOrder(outcome);
    return;
  }
  expect(typeof outcome.isFound).toBe('boolean');
  expect(outcome.settleSeconds).toBeGreaterThanOrEqual(0);
}

function expectListOrError(answer: unknown): void {
  const { instances, error } = listedBy(answered(answer), asked);
  expect(unsoundParts(instances)).toEqual([]);
  for (const { providerID, machineName, token, createdAt } of instances) {
    expect([typeof providerID, typeof machineName]).toEqual(['string', 'string']);
    expect(['string', 'undefined']).toContain(typeof token);
    expect(['number', 'undefined']).toContain(typeof createdAt);
  }
  if (error === undefined) return;
  expect(instances).toEqual([]);
  expect(error).toMatch(/\S/);
}

function expectUnsettledNonsense(answer: unknown): void {
  const outcome = createdBy(answered(answer), asked);
  if (outcome.outcome !== 'failed' || !outcome.failure.isSettled) return;
  expect(answer).toMatchObject({ failure: { isSettled: true } });
}

describe('an answer of any form', () => {
  test('to createInstance is an instance with all its parts, or a failure in words', () => {
    expect(counterexample(ofCreate, 500, expectInstanceOrFailure)).toBeUndefined();
  });

  test('to deleteInstance says that it is gone, or is a failure in words', () => {
    expect(counterexample(ofDelete, 500, expectGoneOrFailure)).toBeUndefined();
  });

  test('to listInstances is a list with all its parts, or an error in words', () => {
    expect(counterexample(ofList, 500, expectListOrError)).toBeUndefined();
  });

  test('an answer of any form that is nonsense never counts as settled', () => {
    expect(counterexample(ofCreate, 300, expectUnsettledNonsense)).toBeUndefined();
  });
});

test.each([
  [{ ...created, instance: { ...found, providerID: '' } }, /instance\.providerID: ""/],
  [{ ...created, instance: { ...found, nodeName: null } }, /instance\.nodeName: null/],
  [{ ...created, instance: { ...found, nodeName: 'x'.repeat(64) } }, /instance\.nodeName.*63/],
  [{ ...created, instance: { ...found, addresses: [{}] } }, /instance\.addresses: a list.*type/],
  [{ outcome: 'ok' }, /outcome: "ok": must be created, pending or failed/],
  [null, /outcome: undefined/],
  [{ outcome: 'failed', failure: { code: 'NO_QUOTA', message: 'full' } }, /full.*"NO_QUOTA"/],
])('%j is said in words', (answer, words) => {
  expect(createdBy(answered(answer), asked)).toMatchObject({
    outcome: 'failed',
    failure: { code: 'Internal', isSettled: false, message: expect.stringMatching(words) },
  });
});

test('a failure is our doing only where we cancelled the call: else it is said, and waited after', () => {
  const answer = { outcome: 'failed', failure: { ...failure, wasCancelled: true } };
  const outcomes = [true, false].map((isCancelled) =>
    createdBy(answered(answer), { ...asked, isCancelled }),
  );
  expect(outcomes).toEqual([answer, failed]);
});

test('a pause that a driver asks for has an end', () => {
  const answer = { outcome: 'failed', failure: { ...failure, retryAfterSeconds: 1e300 } };
  expect(createdBy(answered(answer), asked)).toMatchObject({
    failure: { retryAfterSeconds: 3_600 },
  });
});

describe('a machine', () => {
  let temporal: TemporalForTests;
  beforeAll(async () => {
    temporal = await TemporalForTests.start();
  });
  afterAll(() => temporal.stop());

  test('whose driver talks nonsense says so, keeps its token, and runs once the driver is mended', async () => {
    const answers = fc.sample(ofCreate, 6).map((answer) => answered(answer));
    const nonsense = answers.filter(
      (answer) => createdBy(answered(answer), asked).outcome === 'failed',
    );
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => answered(nonsense.shift() ?? created),
    });
    world.object.limits.creationTimeoutSeconds = 1_000_000;
    await world.run(async () => {
      await world.begin();
      for (let tries = 0; tries < 12 && (await world.state()).phase !== 'Pending'; tries += 1) {
        await temporal.skip(4_000);
      }
      await world.phase('Pending');
      for (const { failure: told } of world.log.inputsOf('recordFailure')) {
        expect(told.message).toMatch(/\S/);
      }
    });
  });

  test('whose instance was made with an answer that makes no sense is deleted by its token', async () => {
    const world = await MachineWorld.create(temporal, {
      createInstance: async () => answered({ outcome: 'created', instance: { providerID: 'p' } }),
    });
    await world.run(async () => {
      await world.begin();
      await world.log.until('recordFailure');
      expect(world.log.inputsOf('recordFailure')).toMatchObject([
        { failure: { code: 'Internal', message: expect.stringMatching(/instance\.nodeName/) } },
      ]);
      await world.requestDeletion();
      await resultOf(world.handle);
      expect(world.log.inputsOf('deleteInstance')).toMatchObject([{ token: 'uid-1-0' }]);
    });
  });
});
