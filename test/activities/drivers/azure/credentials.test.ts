import { DriverError } from '../../../../activities/drivers/driver.ts';
import { cloudOf } from '../../../../activities/drivers/azure/clouds.ts';
import { planCredentials } from '../../../../activities/drivers/azure/credentials.ts';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';

const none = { env: {}, allowsAmbientCredentials: false, allowsTokenFiles: true };
const ids = { clientID: 'c', tenantID: 't', subscriptionID: 's' };
const planned = { clientId: 'c', tenantId: 't', subscriptionId: 's' };
const gardenersFile = '/var/run/secrets/gardener.cloud/workload-identity/token';

describe('from the Secret', () => {
  test.each([
    ['a secret', { ...ids, clientSecret: 'x' }, { kind: 'secret', ...planned, clientSecret: 'x' }],
    [
      'the other spellings of Gardener',
      {
        azureClientId: 'c',
        azureTenantId: 't',
        azureSubscriptionId: 's',
        azureClientSecret: 'x\n',
      },
      { kind: 'secret', ...planned, clientSecret: 'x' },
    ],
    [
      'a certificate',
      { ...ids, clientCertificate: 'PEM' },
      { kind: 'certificate', ...planned, certificate: 'PEM' },
    ],
    [
      'a token file',
      { ...ids, workloadIdentityTokenFile: gardenersFile },
      { kind: 'tokenFile', ...planned, tokenFilePath: gardenersFile },
    ],
  ])('%s', (_name, secret, is) => {
    expect(planCredentials(secret, none)).toEqual(is);
  });

  test('several kinds of credentials are refused: one is to be kept', () => {
    const secret = { ...ids, clientSecret: 'x', workloadIdentityTokenFile: gardenersFile };
    expect(() => planCredentials(secret, none)).toThrow(
      'the Secret holds clientSecret and workloadIdentityTokenFile: keep one of them',
    );
  });

  test('the keys that are missing are named', () => {
    expect(() => planCredentials({ clientID: 'c', clientSecret: 'x' }, none)).toThrow(
      'the Secret lacks tenantID, subscriptionID',
    );
  });

  test('a token file is used only if the operator allows it', () => {
    const secret = { ...ids, workloadIdentityTokenFile: gardenersFile };
    const settings = { env: {}, allowsAmbientCredentials: false };
    expect(() => planCredentials(secret, settings)).toThrow(
      "the Secret's workloadIdentityTokenFile: token files of the worker are used only if it runs with --token-files",
    );
  });

  test('the operator says where token files are', () => {
    const settings = { ...none, env: { MILLWRIGHT_TOKEN_DIRECTORY: '/tokens/' } };
    const secret = { ...ids, workloadIdentityTokenFile: '/tokens/azure' };
    expect(planCredentials(secret, settings)).toMatchObject({ tokenFilePath: '/tokens/azure' });
  });
});

describe('from the process', () => {
  const env = { AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 't', AZURE_SUBSCRIPTION_ID: 's' };
  test.each([
    { more: { AZURE_CLIENT_SECRET: 'x' }, is: { kind: 'secret', clientSecret: 'x' } },
    {
      more: { AZURE_CLIENT_CERTIFICATE_PATH: '/c.pem' },
      is: { kind: 'certificateFile', certificatePath: '/c.pem' },
    },
    {
      more: { AZURE_FEDERATED_TOKEN_FILE: '/t' },
      is: { kind: 'tokenFile', tokenFilePath: '/t' },
    },
    { more: {}, is: { kind: 'managedIdentity', clientId: 'c', subscriptionId: 's' } },
  ])('$is.kind', ({ more, is }) => {
    const settings = { env: { ...env, ...more }, allowsAmbientCredentials: true };
    expect(planCredentials({}, settings)).toMatchObject(is);
  });

  test('credentials of the process are used only if it is allowed', () => {
    const settings = { env: { ...env, AZURE_CLIENT_SECRET: 'x' }, allowsAmbientCredentials: false };
    expect(() => planCredentials({}, settings)).toThrow('--ambient-credentials');
  });

  test('the subscription may stand in the Secret, and is needed', () => {
    const settings = { env: {}, allowsAmbientCredentials: true };
    const plan = planCredentials({ azureSubscriptionId: 's' }, settings);
    expect(plan).toEqual({ kind: 'managedIdentity', clientId: '', subscriptionId: 's' });
    expect(() => planCredentials({}, settings)).toThrow('AZURE_SUBSCRIPTION_ID');
  });

  test('credentials of the Secret go before those of the process', () => {
    const settings = { env: { ...env, AZURE_CLIENT_SECRET: 'x' }, allowsAmbientCredentials: true };
    const plan = planCredentials({ ...ids, clientSecret: 'y' }, settings);
    expect(plan).toMatchObject({ clientSecret: 'y' });
  });
});

describe('clouds', () => {
  test.each([
    { name: undefined, endpoint: 'https://management.azure.com' },
    { name: 'AzurePublic', endpoint: 'https://management.azure.com' },
    { name: 'AzureGovernment', endpoint: 'https://management.usgovcloudapi.net' },
    { name: 'AzureChina', endpoint: 'https://management.chinacloudapi.cn' },
  ])('$name', ({ name, endpoint }) => {
    expect(cloudOf(name, {})).toMatchObject({
      endpoint,
      scope: `${endpoint}/.default`,
      isPrivate: false,
    });
  });

  test('the process may name another endpoint, with https', () => {
    const env = {
      MILLWRIGHT_AZURE_ENDPOINT: 'https://a:1/',
      MILLWRIGHT_AZURE_AUTHORITY: 'https://b',
    };
    expect(cloudOf('AzurePublic', env)).toMatchObject({
      endpoint: 'https://a:1',
      authority: 'https://b',
      scope: 'https://management.azure.com/.default',
      isPrivate: true,
    });
    const plain = { MILLWRIGHT_AZURE_ENDPOINT: 'http://a' };
    expect(() => createAzureDriver({ env: plain, allowsAmbientCredentials: false })).toThrow(
      'MILLWRIGHT_AZURE_ENDPOINT: "http://a" is not a URL of the form https://HOST[:PORT]',
    );
  });

  test('the process may name what its tokens are for', () => {
    const env = {
      MILLWRIGHT_AZURE_ENDPOINT: 'https://management.local.azurestack.external',
      MILLWRIGHT_AZURE_AUDIENCE: 'https://management.contoso.onmicrosoft.com/4de154de',
    };
    expect(cloudOf(undefined, env)).toMatchObject({
      endpoint: 'https://management.local.azurestack.external',
      scope: 'https://management.contoso.onmicrosoft.com/4de154de/.default',
    });
    const wrong = { MILLWRIGHT_AZURE_AUDIENCE: 'management' };
    expect(() => createAzureDriver({ env: wrong, allowsAmbientCredentials: false })).toThrow(
      'MILLWRIGHT_AZURE_AUDIENCE: "management" is not a URI, such as https://management.azure.com',
    );
  });

  test.each([
    { name: 'constructor', shown: '"constructor"' },
    { name: { toString: '' }, shown: 'an object with toString' },
    { name: ['AzureChina'], shown: 'a list of 1' },
  ])('$name is no cloud, and a fault of the class', ({ name, shown }) => {
    const message = `providerSpec.cloudConfiguration.name: ${shown} is not one of AzurePublic, AzureGovernment, AzureChina`;
    // As where the driver is called: not as the schema has checked it.
    const ask = () => cloudOf(name, {});
    expect(ask).toThrow(DriverError);
    expect(ask).toThrow(message);
  });
});
