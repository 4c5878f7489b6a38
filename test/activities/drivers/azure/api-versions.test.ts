/**
 * Clouds that are a year behind: the versions of APIs that are asked for, and what is said where
 * one is not there.
 */
import {
  apiVersionsOf,
  withApiVersion,
} from '../../../../activities/drivers/azure/api-versions.ts';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';
import { failureOf } from '../failure-of.ts';
import { aDriver, aMachine, aSharedSetting, living, partsOf } from './a-machine.ts';

const { double } = await aSharedSetting();

const request = () => ({ ...aMachine('any'), namespace: 'shoot' });
const versionOf = (service: string, version: string) => ({
  [`MILLWRIGHT_AZURE_API_VERSION_${service}`]: version,
});

test('a cloud that knows versions of 2024 at most gets its machines', async () => {
  const driver = aDriver(double);
  await driver.createInstance(aMachine('m'));
  expect(living(double, 'm')).toEqual(partsOf('m'));
  expect(await driver.listInstances(request())).toHaveLength(1);
  double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 403, code: 'AccessDenied' });
  expect(await driver.listInstances(request())).toHaveLength(1);
  expect(await driver.deleteInstance(aMachine('m'))).toEqual({ found: true });
});

describe('a cloud that does not have the version', () => {
  test.each([
    { service: 'COMPUTE', key: 'compute', version: '2024-03-01' },
    { service: 'DISKS', key: 'disks', version: '2023-10-02' },
    { service: 'NETWORK', key: 'network', version: '2024-01-01' },
    { service: 'MARKETPLACE', key: 'marketplace', version: '2021-01-01' },
  ] as const)('of $service: it is said which setting changes it', async (row) => {
    double.world.apiVersions[row.key] = ['2019-01-01'];
    const failure = await failureOf(aDriver(double).createInstance(aMachine('m')));
    expect(failure).toMatchObject({ code: 'FailedPrecondition' });
    expect(failure.kind).toBeUndefined();
    expect(failure.message).toContain(
      `this cloud does not have version ${row.version} of that API: set MILLWRIGHT_AZURE_API_VERSION_${row.service} of the worker to one that it has`,
    );
    const driver = aDriver(double, {}, versionOf(row.service, '2019-01-01'));
    expect(await driver.createInstance(aMachine('m'))).toMatchObject({ nodeName: 'm' });
  });

  test.each([
    { status: 400, code: 'InvalidApiVersionParameter' },
    { status: 404, code: 'InvalidResourceType' },
    { status: 400, code: 'NoRegisteredProviderFoundForApiVersion' },
  ])('with $code', async ({ status, code }) => {
    double.faults.add({ kind: 'refuse', status, code });
    expect(await failureOf(aDriver(double).describeInstance(aMachine('m')))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('MILLWRIGHT_AZURE_API_VERSION_COMPUTE'),
    });
  });

  test('without the version of Resource Graph lists the group', async () => {
    const driver = aDriver(double);
    await driver.createInstance(aMachine('m'));
    double.world.apiVersions.graph = [];
    expect(await driver.listInstances(request())).toHaveLength(1);
    const code = 'InvalidResourceNamespace';
    double.faults.add({ kind: 'refuse', match: 'resourcegraph', status: 404, code });
    expect(await driver.listInstances(request())).toHaveLength(1);
  });

  test('but has it elsewhere points to a wrong location in the class', async () => {
    const message = `No registered resource provider found for location 'mars' and API version '2024-03-01' for type 'virtualMachines'. The supported api-versions are '2023-09-01, 2024-03-01'. The supported locations are ', eastus'.`;
    const code = 'NoRegisteredProviderFound';
    double.faults.add({ kind: 'refuse', code, message });
    expect(await failureOf(aDriver(double).describeInstance(aMachine('m')))).toMatchObject({
      code: 'InvalidArgument',
      kind: 'input',
    });
  });
});

test.each(['2024', 'latest', '2024-03-01; x'])(
  'a version %s is refused at the start',
  (version) => {
    const settings = { env: versionOf('DISKS', version), allowsAmbientCredentials: false };
    expect(() => createAzureDriver(settings)).toThrow(
      `MILLWRIGHT_AZURE_API_VERSION_DISKS: "${version}" is not a version of an API of Azure: YYYY-MM-DD or YYYY-MM-DD-preview, such as 2023-10-02`,
    );
  },
);

test.each([
  ['/subscriptions/s/providers/Microsoft.Compute/virtualMachines/m?api-version=1', '2024-03-01'],
  ['/subscriptions/s/providers/Microsoft.Compute/disks?$top=1&api%2Dversion=1', '2023-10-02'],
  ['https://a/subscriptions/s/providers/microsoft.network/x?api-version=1&$skip=2', '2024-01-01'],
  ['/providers/Microsoft.ResourceGraph/resources?api-version=1', '2022-10-01'],
  // As Azure named them.
  ['/s/providers/Microsoft.Compute/locations/w/operations/1?api-version=1', '1'],
  ['/s/providers/Microsoft.Compute/locations/w/DiskOperations/1?api-version=1', '1'],
  ['/subscriptions/s/resourceGroups/g?api-version=1', '1'],
])('%s is asked for with version %s', (url, version) => {
  const sent = new URL(withApiVersion(url, apiVersionsOf({})), 'https://a');
  expect(sent.searchParams.get('api-version')).toBe(version);
  expect(sent.searchParams.size).toBe(new URL(url, 'https://a').searchParams.size);
});
