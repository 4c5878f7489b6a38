/** Answers that are not Google's, and none at all. */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { aSharedGcpWorld, gcpRequest, project, zone } from './gcp-world.ts';
import { pendingOf } from '../following.ts';
import { failureOf } from '../failure-of.ts';
import type { Operation } from '../../../doubles/gcp/faults.ts';
import { eventually } from '../../../support/eventually.ts';

const world = await aSharedGcpWorld();

const isThere = (name: string): boolean =>
  world.double.cloud.instances.some((instance) => instance.name === name);

function page(operation: Operation, status = 404): void {
  world.double.faults.add({ kind: 'html', operation, status });
}

describe('an HTML 404 says nothing about an instance', () => {
  const unknown = { code: 'Unknown', settled: false };

  test('when it is looked for', async () => {
    await world.driver.createInstance(gcpRequest('looked-for'));
    const calls: ((driver: Driver) => Promise<unknown>)[] = [
      (driver) => driver.describeInstance(gcpRequest('looked-for')),
      (driver) => driver.createInstance(gcpRequest('looked-for')),
      (driver) => driver.deleteInstance(gcpRequest('looked-for')),
      (driver) =>
        driver.deleteListed({
          ...gcpRequest('any'),
          namespace: 'shoot',
          providerID: `gce:///${project}/${zone}/looked-for`,
        }),
    ];
    for (const call of calls) {
      page('get');
      const failure = await failureOf(call(world.driver));
      expect(failure).toMatchObject(unknown);
      expect(failure.message).toContain('not an answer of Google');
      expect(isThere('looked-for')).toBe(true);
    }
  });

  test('when it is deleted', async () => {
    await world.driver.createInstance(gcpRequest('deleted'));
    page('delete');
    expect(await failureOf(world.driver.deleteInstance(gcpRequest('deleted')))).toMatchObject(
      unknown,
    );
    expect(isThere('deleted')).toBe(true);
  });

  test('in place of its operation does not send the delete again', async () => {
    await world.driver.createInstance(gcpRequest('after'));
    world.double.faults.add({ kind: 'slow', operation: 'delete', name: 'after', seconds: 90 });
    const { checkpoint = '' } = await pendingOf(
      world.aDriver({ waitSeconds: 0 }).deleteInstance(gcpRequest('after')),
    );
    const before = world.double.calls.length;
    page('operation');
    const request = gcpRequest('after', { checkpoint });
    expect(await failureOf(world.driver.deleteInstance(request))).toMatchObject(unknown);
    const calls = world.double.calls.slice(before).map(({ operation }) => operation);
    expect(calls).toEqual(['get', 'operation']);
  });

  test.each([404, 403, 200])('in place of a list (%s)', async (status) => {
    page('list', status);
    const list = world.driver.listInstances({ ...gcpRequest('any'), namespace: 'shoot' });
    expect((await failureOf(list)).settled).toBe(false);
  });
});

describe('200 from something that is not Google', () => {
  test.each(['get', 'list', 'insert', 'delete'] as const)('in place of %s', async (operation) => {
    const name = `empty-${operation}`;
    if (operation === 'delete') await world.driver.createInstance(gcpRequest(name));
    world.double.faults.add({ kind: 'empty', operation });
    const calls: Record<string, () => Promise<unknown>> = {
      get: () => world.driver.describeInstance(gcpRequest(name)),
      insert: () => world.driver.createInstance(gcpRequest(name)),
      delete: () => world.driver.deleteInstance(gcpRequest(name)),
      list: () => world.driver.listInstances({ ...gcpRequest(name), namespace: 'shoot' }),
    };
    expect(await failureOf(calls[operation]?.() ?? Promise.resolve())).toMatchObject({
      code: 'Unknown',
      settled: false,
      message: expect.stringContaining("the answer is not Google's"),
    });
  });
});

const tokens = (): number =>
  world.double.calls.filter(({ operation }) => operation === 'token').length;

describe('a token endpoint that does not answer', () => {
  test('ends the call by its limit, and the next one does not wait for the same answer', async () => {
    // The request for the token is given up later than the call that needs it, as the library does
    // not hear that.
    const driver = world.aDriver({ callTimeoutSeconds: 0.3 });
    const before = tokens();
    world.double.faults.add({ kind: 'hang', operation: 'token' });
    const calls = await Promise.all(
      ['a', 'b', 'c'].map((name) => failureOf(driver.describeInstance(gcpRequest(name)))),
    );
    for (const failure of calls) {
      expect(failure).toMatchObject({ code: 'DeadlineExceeded', settled: false });
    }
    expect(tokens() - before).toBe(1);
    const patient = world.driver.describeInstance(gcpRequest('d'));
    expect(await patient).toBeUndefined();
  });

  test('ends the call when it is cancelled', async () => {
    const driver = world.aDriver();
    world.double.faults.add({ kind: 'hang', operation: 'token' });
    const before = tokens();
    const controller = new AbortController();
    const { signal } = controller;
    const call = failureOf(driver.describeInstance(gcpRequest('x', { signal })));
    await eventually('a token is asked for', () => tokens() > before);
    controller.abort();
    expect(await call).toMatchObject({ code: 'Canceled', settled: false });
    // Its request is still under way: nobody joins it.
    expect(await driver.describeInstance(gcpRequest('x'))).toBeUndefined();
  });
});
