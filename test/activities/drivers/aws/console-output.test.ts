/** GetConsoleOutput over the wire, with the real SDK, against a double of EC2. */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import type { DoubleInstance } from '../../../doubles/ec2/instances.ts';
import { failureOf } from '../failure-of.ts';
import { aSharedEc2, ec2Request } from './ec2-world.ts';
import { createdBy } from '../following.ts';
import { instantTiming } from './instant-timing.ts';

const { double, settings } = await aSharedEc2();
const driver = createAwsDriver(settings, { timing: instantTiming(), callTimeoutSeconds: 600 });

async function anInstance(name: string): Promise<{ request: CreateRequest; made: DoubleInstance }> {
  const { providerID } = await createdBy(driver, ec2Request(name));
  const made = double.instances.at(-1);
  if (!made) throw new Error('the double has no instance');
  return { request: ec2Request(name, { providerID }), made };
}

const latestOf = (): (string | undefined)[] =>
  double.requests
    .filter((form) => form.get('Action') === 'GetConsoleOutput')
    .map((form) => form.get('Latest'));

test('what EC2 has in base64 comes as text, as of now', async () => {
  const { request, made } = await anInstance('printing');
  made.console = 'kubelet: ünauthorized\n';
  expect(await driver.getConsoleOutput?.(request)).toBe('kubelet: ünauthorized\n');
  expect(latestOf()).toEqual(['true']);
});

test('a type without latest output is asked for what EC2 kept', async () => {
  const { request, made } = await anInstance('old');
  made.console = 'as of minutes ago';
  made.hasNoLatest = true;
  expect(await driver.getConsoleOutput?.(request)).toBe('as of minutes ago');
  expect(latestOf()).toEqual(['true', undefined]);
});

test('an instance that has printed nothing yet has an empty console', async () => {
  const { request } = await anInstance('silent');
  expect(await driver.getConsoleOutput?.(request)).toBe('');
});

test('a missing right is named with its action, and not asked for twice', async () => {
  const { request } = await anInstance('forbidden');
  double.refuse({ action: 'GetConsoleOutput', code: 'UnauthorizedOperation', status: 403 });
  expect(await failureOf(driver.getConsoleOutput?.(request) ?? Promise.resolve())).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining('GetConsoleOutput'),
  });
  expect(latestOf()).toEqual(['true']);
});
