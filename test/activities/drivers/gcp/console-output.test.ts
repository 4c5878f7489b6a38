/** The first serial port over the wire, with the real SDK, against the double. */
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { failureOf } from '../failure-of.ts';
import { aSharedGcpWorld, gcpRequest, untilOver } from './gcp-world.ts';

const world = await aSharedGcpWorld();

async function anInstance(name: string, serial?: string): Promise<CreateRequest> {
  const { providerID } = await untilOver((known) =>
    world.driver.createInstance(gcpRequest(name, known)),
  );
  const made = world.double.cloud.instances.find((instance) => instance.name === name);
  if (made && serial !== undefined) made.serial = serial;
  return gcpRequest(name, { providerID });
}

test('the end of what the port has, and no more than 64 KiB', async () => {
  const serial = `${'x'.repeat(100_000)}\nkubelet: ünauthorized\n`;
  const request = await anInstance('printing', serial);
  const printed = await world.driver.getConsoleOutput?.(request);
  expect(printed).toBe(Buffer.from(serial).subarray(-65_536).toString('utf8'));
  expect(world.double.calls.at(-1)).toMatchObject({
    operation: 'serialPort',
    path: expect.stringMatching(/\/instances\/printing\/serialPort\?.*port=1/),
  });
});

test('a port without output is empty', async () => {
  expect(await world.driver.getConsoleOutput?.(await anInstance('silent'))).toBe('');
});

test('a missing right is said in the words of Google', async () => {
  const request = await anInstance('forbidden', 'x');
  const message = "Required 'compute.instances.getSerialPortOutput' permission";
  const refusal = { kind: 'error', status: 403, reason: 'forbidden', message } as const;
  world.double.faults.add({ ...refusal, operation: 'serialPort' });
  const reading = world.driver.getConsoleOutput?.(request) ?? Promise.resolve('none');
  expect(await failureOf(reading)).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining(message),
  });
});
