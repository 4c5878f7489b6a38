/**
 * Operations that take their time: no call waits for them, and each goes on where the one before
 * was.
 */
import { setTimeout } from 'node:timers/promises';
import { createGcpDriver } from '../../../../activities/drivers/gcp/driver.ts';
import { HandSystem } from '../../../support/hand-system.ts';
import { aSharedGcpWorld, gcpRequest, untilOver, zone } from './gcp-world.ts';
import { pendingOf } from '../following.ts';
import { failureOf } from '../failure-of.ts';
import type { DriverPending } from '../../../../activities/drivers/driver.ts';

const world = await aSharedGcpWorld();
/** Does not wait at all. */
const driver = world.aDriver({ waitSeconds: 0 });

const tenMinutes = 600;
const everMade = (name: string): number => world.double.cloud.insertsByName.get(name) ?? 0;
const find = (name: string) =>
  world.double.cloud.instances.find((instance) => instance.name === name);

function slow(operation: 'insert' | 'delete', name: string): void {
  world.double.faults.add({ kind: 'slow', operation, name, seconds: tenMinutes });
}

async function callsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = world.double.calls.length;
  await work();
  return world.double.calls.slice(before).map(({ operation }) => operation);
}

const checkpointOf = ({ checkpoint = '' }: DriverPending) => ({ checkpoint });

describe('create', () => {
  test('says what is waited for, and asks once at a time', async () => {
    slow('insert', 'slow');
    const first = await pendingOf(driver.createInstance(gcpRequest('slow')));
    expect(first.message).toMatch(
      /^Google Cloud: instance slow is being made \(operation (PENDING|RUNNING), 0 %\)$/,
    );
    expect(first.pollAfterSeconds).toBe(5);
    world.double.advance(tenMinutes / 2);
    const request = gcpRequest('slow', checkpointOf(first));
    let second: DriverPending | undefined;
    const calls = await callsDuring(async () => {
      second = await pendingOf(driver.createInstance(request));
    });
    expect(calls).toEqual(['operation']);
    expect(second?.message).toMatch(
      /^Google Cloud: instance slow is being made \(operation RUNNING, (49|5\d) %\)$/,
    );
    expect(second?.checkpoint).toBe(first.checkpoint);
    world.double.advance(tenMinutes / 2 + 1);
    expect(await driver.createInstance(request)).toMatchObject({ nodeName: 'slow', found: false });
    expect(everMade('slow')).toBe(1);
  });

  test('a minute old, it is asked for less often', async () => {
    world.double.advance(-60);
    slow('insert', 'old');
    const { pollAfterSeconds } = await pendingOf(driver.createInstance(gcpRequest('old')));
    expect(pollAfterSeconds).toBe(10);
  });

  test.each([
    ['missing', undefined],
    ['no JSON', '{'],
    ['of another form', '[1]'],
    ['of an operation that is gone', 'gone'],
    ['of another attempt', 'attempt'],
    ['of another project', 'project'],
    ['of a deletion', JSON.stringify({ deletions: [{ id: '1', operation: 'operation-1' }] })],
    ['a path', 'path'],
  ])('a checkpoint that is %s does no harm', async (what, change) => {
    const name = `checkpoint-${what.replaceAll(' ', '-').toLowerCase()}`;
    slow('insert', name);
    const { checkpoint = '' } = await pendingOf(driver.createInstance(gcpRequest(name)));
    const { insert } = JSON.parse(checkpoint);
    const changed: Record<string, object> = {
      gone: { operation: 'operation-gone' },
      attempt: { requestId: 'ffffffff-ffff-5fff-8fff-ffffffffffff' },
      project: { project: 'b-project' },
      path: { operation: '../../instances/x' },
    };
    const more = changed[change ?? ''];
    const text = more ? JSON.stringify({ insert: { ...insert, ...more } }) : change;
    const given = text === undefined ? {} : { checkpoint: text };
    // Until then nobody sees it.
    world.double.advance(1);
    const again = await pendingOf(driver.createInstance(gcpRequest(name, given)));
    expect(again.message).toBe(`Google Cloud: instance ${name} is being made (PROVISIONING)`);
    world.double.advance(tenMinutes + 1);
    expect(await driver.createInstance(gcpRequest(name, given))).toMatchObject({ found: true });
    expect(everMade(name)).toBe(1);
  });

  test.each([0, 120])('no capacity is reported with its code, %i s late', async (seconds) => {
    const code = 'ZONE_RESOURCE_POOL_EXHAUSTED';
    const name = `late-${seconds}`;
    const fault = { operation: 'insert', name } as const;
    world.double.faults.add({ ...fault, kind: 'operationError', code, message: 'full' });
    world.double.faults.add({ ...fault, kind: 'slow', seconds: tenMinutes });
    // It ends, by the clock of this machine, so long ago.
    world.double.advance(-tenMinutes - seconds);
    const first = await pendingOf(driver.createInstance(gcpRequest(name)));
    world.double.advance(tenMinutes);
    const request = gcpRequest(name, checkpointOf(first));
    const create = untilOver(() => driver.createInstance(request));
    expect(await failureOf(create)).toMatchObject({
      code: 'ResourceExhausted',
      kind: 'capacity',
      settled: true,
    });
    expect(find(name)).toBeUndefined();
  });

  test('a stale checkpoint of an instance that is gone does not bring it back', async () => {
    slow('insert', 'stale');
    const first = await pendingOf(driver.createInstance(gcpRequest('stale')));
    world.double.advance(tenMinutes + 1);
    const request = gcpRequest('stale', checkpointOf(first));
    await driver.createInstance(request);
    await world.driver.deleteInstance(gcpRequest('stale'));
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'Aborted',
      settled: true,
    });
    const next = { ...request, token: 'uid-of-stale-1' };
    expect(await untilOver(() => driver.createInstance(next))).toMatchObject({
      nodeName: 'stale',
    });
  });

  test.each([
    ['tooMany', { seconds: 42 }, 42],
    ['error', { status: 503, reason: 'backendError' }, 10],
    ['loseAnswer', {}, 10],
    ['html', { status: 502 }, 10],
  ] as const)('a look that fails (%s) does not end the wait', async (kind, more, seconds) => {
    const name = `looks-${kind.toLowerCase()}`;
    slow('insert', name);
    const first = await pendingOf(driver.createInstance(gcpRequest(name)));
    world.double.faults.add({ kind, operation: 'operation', ...more });
    const request = gcpRequest(name, checkpointOf(first));
    const second = await pendingOf(driver.createInstance(request));
    expect(second.message).toMatch(/is being made \(the last look failed: /);
    expect(second.pollAfterSeconds).toBe(seconds);
    expect(second.checkpoint).toBe(first.checkpoint);
    world.double.advance(tenMinutes + 1);
    world.double.faults.add({ kind, operation: 'get', name, ...more });
    const third = await pendingOf(driver.createInstance(request));
    expect(third.message).toMatch(/is made and to be looked at \(the last look failed: /);
    expect(await driver.createInstance(request)).toMatchObject({ found: false });
    expect(everMade(name)).toBe(1);
  });

  test('refused credentials end it', async () => {
    slow('insert', 'refused');
    const first = await pendingOf(driver.createInstance(gcpRequest('refused')));
    const fault = { kind: 'error', operation: 'operation', status: 403 } as const;
    world.double.faults.add({ ...fault, reason: 'forbidden' });
    const request = gcpRequest('refused', checkpointOf(first));
    expect(await failureOf(driver.createInstance(request))).toMatchObject({
      code: 'PermissionDenied',
      settled: false,
    });
  });
});

describe('delete', () => {
  test('a shutdown of 90 s: one request at a time, and the delete is sent once', async () => {
    await world.driver.createInstance(gcpRequest('shutdown'));
    world.double.faults.add({ kind: 'slow', operation: 'delete', name: 'shutdown', seconds: 90 });
    const messages: string[] = [];
    let result: unknown;
    const calls = await callsDuring(async () => {
      result = await untilOver(
        (checkpoint) => driver.deleteInstance(gcpRequest('shutdown', checkpoint)),
        ({ message }) => {
          messages.push(message);
          world.double.advance(46);
        },
      );
    });
    expect(result).toEqual({ found: true });
    expect(messages).toEqual([
      expect.stringMatching(/^Google Cloud: instance shutdown is being deleted \(operation /),
      expect.stringMatching(
        /^Google Cloud: instance shutdown is being deleted \(operation RUNNING, (49|5\d) %\)$/,
      ),
    ]);
    expect(calls.filter((call) => call === 'delete')).toHaveLength(1);
    expect(find('shutdown')).toBeUndefined();
  });

  test('two instances of one Machine go side by side', async () => {
    const { machine } = gcpRequest('pair');
    const other = { ...gcpRequest('other'), machine: { ...machine, name: 'other' } };
    const { providerID } = await world.driver.createInstance(other);
    await world.driver.createInstance(gcpRequest('pair'));
    slow('delete', 'pair');
    slow('delete', 'other');
    const request = gcpRequest('pair', { providerID });
    const first = await pendingOf(driver.deleteInstance(request));
    expect(first.message).toMatch(/instance other is being deleted .*; .*instance pair is being/);
    const calls = await callsDuring(() =>
      pendingOf(driver.deleteInstance({ ...request, ...checkpointOf(first) })),
    );
    expect(calls.toSorted()).toEqual(['get', 'get', 'operation', 'operation']);
    world.double.advance(tenMinutes + 1);
    expect(await driver.deleteInstance({ ...request, ...checkpointOf(first) })).toEqual({
      found: true,
    });
  });

  test.each([
    ['missing', undefined],
    ['no JSON', 'x'],
    ['of another instance', JSON.stringify({ deletions: [{ id: '1', operation: 'op-1' }] })],
    ['of an operation that is gone', 'gone'],
  ])('a checkpoint that is %s does no harm', async (what, change) => {
    const name = `deletion-${what.replaceAll(' ', '-').toLowerCase()}`;
    await world.driver.createInstance(gcpRequest(name));
    slow('delete', name);
    await pendingOf(driver.deleteInstance(gcpRequest(name)));
    const gone = JSON.stringify({
      deletions: [{ id: find(name)?.id, operation: 'operation-gone' }],
    });
    const checkpoint = change === 'gone' ? gone : change;
    const given = checkpoint === undefined ? {} : { checkpoint };
    world.double.advance(tenMinutes / 2);
    slow('delete', name);
    await pendingOf(driver.deleteInstance(gcpRequest(name, given)));
    world.double.advance(tenMinutes + 1);
    await driver.deleteInstance(gcpRequest(name, given));
    expect(find(name)).toBeUndefined();
  });

  test('one that failed is reported once and then sent anew, also with its checkpoint', async () => {
    world.double.advance(-60);
    await world.driver.createInstance(gcpRequest('failing'));
    const fault = { operation: 'delete', name: 'failing' } as const;
    world.double.faults.add({ ...fault, kind: 'slow', seconds: 60 });
    const code = 'RESOURCE_IN_USE_BY_ANOTHER_RESOURCE';
    world.double.faults.add({ ...fault, kind: 'operationError', code, message: 'used' });
    const first = await pendingOf(driver.deleteInstance(gcpRequest('failing')));
    world.double.advance(61);
    const request = gcpRequest('failing', checkpointOf(first));
    expect(await failureOf(driver.deleteInstance(request))).toMatchObject({
      code: 'FailedPrecondition',
      settled: false,
    });
    expect(await untilOver((given) => driver.deleteInstance(gcpRequest('failing', given)))).toEqual(
      { found: true },
    );
  });

  test.each(['operation', 'get'] as const)(
    'a look (%s) that fails does not end the wait',
    async (operation) => {
      const name = `blind-${operation}`;
      await world.driver.createInstance(gcpRequest(name));
      slow('delete', name);
      const first = await pendingOf(driver.deleteInstance(gcpRequest(name)));
      const fault = operation === 'get' ? { operation, name } : { operation };
      world.double.faults.add({ kind: 'rateLimit', ...fault, seconds: 7 });
      const request = gcpRequest(name, checkpointOf(first));
      const second = await pendingOf(driver.deleteInstance(request));
      expect(second.message).toMatch(/is being deleted \(the last look failed: /);
      expect(second.checkpoint).toBe(first.checkpoint);
      world.double.advance(tenMinutes + 1);
      expect(await driver.deleteInstance(request)).toEqual({ found: true });
    },
  );

  test('the deletion of an orphan ends before the minute of the check that asks for it', async () => {
    await world.driver.createInstance(gcpRequest('slow-orphan'));
    slow('delete', 'slow-orphan');
    const usual = createGcpDriver(world.settings);
    const providerID = `gce:///a-project/${zone}/slow-orphan`;
    const request = { ...gcpRequest('any'), namespace: 'shoot', providerID };
    const hand = new HandSystem();
    let isOver = false;
    const ending = hand.run(() => failureOf(usual.deleteListed(request)));
    void ending.finally(() => (isOver = true));
    for (let second = 1; second < 55; second += 1) {
      await setTimeout(20);
      await hand.to(second * 1_000);
    }
    expect(isOver).toBe(true);
    expect(await ending).toMatchObject({ code: 'DeadlineExceeded', settled: false });
  });

  test('an orphan is never pending: who looks next finds what is left', async () => {
    await world.driver.createInstance(gcpRequest('orphan'));
    slow('delete', 'orphan');
    const hasty = world.aDriver({ orphanWaitSeconds: 0 });
    const providerID = `gce:///a-project/${zone}/orphan`;
    const request = { ...gcpRequest('any'), namespace: 'shoot', providerID };
    expect(await failureOf(hasty.deleteListed(request))).toMatchObject({
      code: 'DeadlineExceeded',
      settled: false,
      message: expect.stringContaining('instance orphan is being deleted'),
    });
    world.double.advance(tenMinutes + 1);
    expect(await hasty.deleteListed(request)).toEqual({ found: false });
  });
});
