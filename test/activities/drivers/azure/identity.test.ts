/**
 * The other ways to prove who one is, with Azure's identity library against the double's authority.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAzureDriver } from '../../../../activities/drivers/azure/driver.ts';
import type { Environment } from '../../../../activities/drivers/settings.ts';
import { application, startAzureDouble, subscription } from '../../../doubles/azure/server.ts';
import { type AzureDouble } from '../../../doubles/azure/double.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { aMachine, fastTiming } from './a-machine.ts';
import { failureOf } from '../failure-of.ts';

let double: AzureDouble;
let folder: string;
let rsaPem: string;
beforeAll(async () => {
  double = await startAzureDouble();
  folder = mkdtempSync(join(tmpdir(), 'azure-identity-'));
  rsaPem = await newCertificate();
});
afterAll(async () => {
  await double.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As an application has it: PEM with the private key; Azure takes RSA only. */
async function newCertificate(): Promise<string> {
  const { key, certificate } = await selfSigned({ name: 'application', isRsa: true });
  return `${key}\n${certificate}`;
}

const ids = {
  clientID: application.clientId,
  tenantID: application.tenant,
  subscriptionID: subscription,
};

function aDriver(env: Environment, allowsAmbientCredentials = false) {
  const endpoints = {
    MILLWRIGHT_AZURE_ENDPOINT: double.url,
    MILLWRIGHT_AZURE_AUTHORITY: double.url,
    MILLWRIGHT_AZURE_CA_FILE: double.caFile,
  };
  const settings = {
    env: { ...endpoints, ...env },
    allowsAmbientCredentials,
    allowsTokenFiles: true,
  };
  return createAzureDriver(settings, fastTiming);
}

test('credentials from a token file are taken', async () => {
  const workloadIdentityTokenFile = join(folder, 'token');
  writeFileSync(workloadIdentityTokenFile, 'an.assertion.of-somebody');
  const driver = aDriver({ MILLWRIGHT_TOKEN_DIRECTORY: folder });
  const request = aMachine('m', { secret: { ...ids, workloadIdentityTokenFile } });
  expect(await driver.describeInstance(request)).toBeUndefined();
});

test('a token file that does not exist is a failure of kind credentials', async () => {
  const workloadIdentityTokenFile = join(folder, 'none');
  const driver = aDriver({ MILLWRIGHT_TOKEN_DIRECTORY: folder });
  const request = aMachine('m', { secret: { ...ids, workloadIdentityTokenFile } });
  expect(await failureOf(driver.describeInstance(request))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
    settled: false,
  });
});

test('credentials from a certificate are taken', async () => {
  const request = aMachine('m', { secret: { ...ids, clientCertificate: rsaPem } });
  expect(await aDriver({}).describeInstance(request)).toBeUndefined();
});

test('a certificate that is not PEM is a failure of kind credentials', async () => {
  const request = aMachine('m', { secret: { ...ids, clientCertificate: 'no PEM' } });
  expect(await failureOf(aDriver({}).describeInstance(request))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
  });
});

/** Which certificate the last assertion names. */
function shownCertificate(): unknown {
  const [header = ''] = (double.authority.heard.assertion ?? '').split('.');
  const fields = Object(JSON.parse(Buffer.from(header, 'base64url').toString('utf8')));
  return fields['x5t#S256'] ?? fields['x5t'];
}

test('a certificate of the process that was replaced is read again', async () => {
  const path = join(folder, 'certificate.pem');
  writeFileSync(path, rsaPem);
  const env = {
    AZURE_CLIENT_ID: application.clientId,
    AZURE_TENANT_ID: application.tenant,
    AZURE_CLIENT_CERTIFICATE_PATH: path,
    AZURE_SUBSCRIPTION_ID: subscription,
  };
  const driver = aDriver(env, true);
  const look = () => driver.describeInstance(aMachine('m', { secret: {} }));
  double.authority.revoke();
  expect(await failureOf(look())).toMatchObject({ code: 'Unauthenticated', kind: 'credentials' });
  const before = shownCertificate();
  expect(before).toEqual(expect.any(String));
  writeFileSync(path, await newCertificate());
  double.authority.restore();
  expect(await look()).toBeUndefined();
  expect(shownCertificate()).not.toBe(before);
});

test('a tenant id that no tenant can have is a failure of kind credentials', async () => {
  const secret = { ...ids, tenantID: 'a tenant/', clientSecret: 'x' };
  expect(await failureOf(aDriver({}).describeInstance(aMachine('m', { secret })))).toMatchObject({
    code: 'Unauthenticated',
    kind: 'credentials',
    message: expect.stringContaining('tenant'),
  });
});

test('a file of certificates that does not exist is a failure that names it', async () => {
  const env = { MILLWRIGHT_AZURE_CA_FILE: join(folder, 'none.pem') };
  const secret = { ...ids, clientSecret: application.clientSecret };
  const request = aMachine('m', { secret });
  expect(await failureOf(aDriver(env).describeInstance(request))).toMatchObject({
    settled: false,
    message: expect.stringContaining('none.pem'),
  });
});
