import { readFileSync } from 'node:fs';
import { DriverError, DriverPending } from '../../../activities/drivers/driver.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import { aRequest } from '../../activities/drivers/a-request.ts';
import { aPipeline } from './a-pipeline.ts';

/** Every call fails with it. */
function failing(fault: Error) {
  async function fail(): Promise<never> {
    throw fault;
  }
  return aPipeline(
    refusingDriver('not asked for in this test', {
      createInstance: fail,
      describeInstance: fail,
      deleteInstance: fail,
      listInstances: fail,
    }),
  );
}

describe('what a cloud repeats of the Secret in its error', () => {
  const template = '#!/bin/sh\njoin --with "the password"\n';
  const userData = template.replace('join', 'join pool-a');
  const secret = {
    userData: template,
    password: 'correct horse',
    azureTenantId: 'tenant-1',
    accessKeyID: 'LTAI5tabcdef',
  };
  const request = { ...aRequest('pool-a', { secret }), userData, namespace: 'shoot' };

  test.each([
    ['correct horse is wrong', '[redacted] is wrong'],
    ['field 3: join --with "the password"', 'field 3: [redacted]'],
    [String.raw`field 3: "join --with \"the password\""`, 'field 3: "[redacted]"'],
    [`not so: ${Buffer.from(template).toString('base64')}`, 'not so: [redacted]=='],
    ['LTAI5tabcdef may not do this in tenant-1', '[redacted] may not do this in tenant-1'],
    ['Authorization: Bearer abcdef0123', 'Authorization: Bearer [redacted]'],
    ['no more quota in eu-west-1', 'no more quota in eu-west-1'],
  ])('is hidden, whichever call fails with it: %s', async (message, expected) => {
    const refused = () => failing(new DriverError({ code: 'Internal', message, settled: true }));
    const failed = { code: 'Internal', message: expected, settled: true };
    await expect(refused().createInstance(request)).rejects.toMatchObject(failed);
    await expect(refused().describeInstance(request)).rejects.toMatchObject(failed);
    await expect(refused().deleteInstance(request)).rejects.toMatchObject(failed);
    await expect(refused().listInstances(request)).rejects.toMatchObject(failed);
  });

  test('is hidden where it stands in user data with its places filled', async () => {
    const error = new DriverError({ code: 'Internal', message: userData, settled: true });
    await expect(failing(error).createInstance(request)).rejects.toThrow(/^\[redacted\]\s*$/);
  });

  test('is hidden in what it waits for, and in a bug of the driver', async () => {
    const message = 'correct horse is looked at';
    const waiting = new DriverPending({ message, pollAfterSeconds: 5 });
    await expect(failing(waiting).createInstance(request)).rejects.toMatchObject({
      pollAfterSeconds: 5,
      message: '[redacted] is looked at',
    });
    const bug: unknown = await failing(new TypeError(message))
      .createInstance(request)
      .catch((error: unknown) => error);
    expect(bug).toBeInstanceOf(DriverError);
    expect(String(Object(bug).message)).toContain('create: [redacted] is looked at');
    expect(String(Object(bug).stack)).toContain('create: [redacted] is looked at');
  });
});

test('what a call passes on its way to the cloud stands in one list, of eight at most', () => {
  const root = new URL('../../../', import.meta.url);
  const text = (file: string): string => readFileSync(new URL(file, root), 'utf8');
  const pipeline = 'workers/drivers/pipeline.ts';
  const list = [...text(pipeline).matchAll(/^ \* \d\. `(\w+)`(?: \((\S+)\)|, here)/gm)];
  expect(list.length).toBeLessThanOrEqual(8);
  expect(list.map(([, name]) => name)).toContain('driverPipeline');
  for (const [, name = '', file = pipeline] of list) {
    expect(text(file)).toMatch(new RegExp(`function ${name}\\b`));
  }
});
