/** The serial log over the wire, with the real SDK, against the double and its storage account. */
import { eventually } from '../../../support/eventually.ts';
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { signature } from '../../../doubles/azure/resource-manager.ts';
import { failureOf } from '../failure-of.ts';
import { aMachine, aSharedSetting, aSpec, someProperties, vmOf } from './a-machine.ts';

const setting = await aSharedSetting();

const diagnosticsProfile = { enabled: true };
const providerSpec = aSpec({ properties: { ...someProperties, diagnosticsProfile } });

async function aVm(name: string, serial?: string): Promise<CreateRequest> {
  const { double, driver } = setting;
  const { providerID } = await driver.createInstance(aMachine(name, { providerSpec }));
  const vm = vmOf(double, name);
  if (vm && serial !== undefined) vm.serial = serial;
  double.calls.length = 0;
  return aMachine(name, { providerSpec, providerID });
}

const read = async (request: CreateRequest): Promise<string | undefined> =>
  await setting.driver.getConsoleOutput?.(request);

test('the log is fetched from its address, without the token of the Resource Manager', async () => {
  const serial = `${'x'.repeat(200_000)}\nkubelet: ünauthorized\n`;
  const request = await aVm('printing', serial);
  expect(await read(request)).toBe(Buffer.from(serial).subarray(-65_536).toString('utf8'));
  const paths = setting.double.calls.map(({ method, path }) => `${method} ${path}`);
  expect(paths).toEqual([
    expect.stringMatching(/^GET .*\/virtualMachines\/printing$/),
    expect.stringMatching(/^POST .*\/printing\/retrieveBootDiagnosticsData$/),
    expect.stringMatching(/^GET \/_storage\/.*\/printing$/),
  ]);
});

test('a virtual machine without a log has printed nothing', async () => {
  expect(await read(await aVm('silent'))).toBe('');
});

test('without boot diagnostics it says which field switches them on, and asks no further', async () => {
  const { double, driver } = setting;
  const { providerID } = await driver.createInstance(aMachine('dark'));
  double.calls.length = 0;
  expect(await failureOf(read(aMachine('dark', { providerID })))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('providerSpec.properties.diagnosticsProfile.enabled'),
  });
  expect(double.calls).toHaveLength(1);
});

test('a missing right is said in the words of Azure', async () => {
  const request = await aVm('forbidden', 'x');
  const refusal = { kind: 'refuse', status: 403, code: 'AuthorizationFailed' } as const;
  const message = 'no action Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action';
  setting.double.faults.add({ ...refusal, message, match: 'retrievebootdiagnosticsdata' });
  expect(await failureOf(read(request))).toMatchObject({
    code: 'PermissionDenied',
    message: expect.stringContaining(message),
  });
});

test.each([
  ['refuses', 403, 'PermissionDenied'],
  ['sends elsewhere', 302, 'Unavailable'],
  ['is broken', 503, 'Unavailable'],
])('a storage account that %s is an answer without its address', async (_does, status, code) => {
  const request = await aVm('refused', 'x');
  setting.double.faults.add({ kind: 'refuse', status, match: '/_storage/' });
  const failure = await failureOf(read(request));
  expect(failure).toMatchObject({ code });
  expect(JSON.stringify(failure)).not.toContain(signature);
  expect(setting.double.calls.filter(({ path }) => path.startsWith('/_storage/'))).toHaveLength(1);
});

test('an address that is not https is not asked', async () => {
  const request = await aVm('plain', 'x');
  const vm = vmOf(setting.double, 'plain');
  if (vm) vm.logScheme = 'http';
  expect(await failureOf(read(request))).toMatchObject({
    message: expect.stringContaining('does not begin with https://'),
  });
  expect(setting.double.calls.some(({ path }) => path.startsWith('/_storage/'))).toBe(false);
});

test('a storage account that is silent ends with the limit of a call', async () => {
  const { double } = setting;
  const request = await aVm('hanging', 'x');
  double.faults.add({ kind: 'hang', match: '/_storage/' });
  const abort = new AbortController();
  const reading = failureOf(read({ ...request, signal: abort.signal }));
  await eventually('it is asked', async () =>
    double.calls.some(({ path }) => path.startsWith('/_storage/')),
  );
  abort.abort();
  expect(await reading).toMatchObject({ code: 'Canceled' });
});
