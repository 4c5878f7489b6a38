/** Which credentials a call uses, decided from Secret and process. */
import { normalize } from 'node:path';
import type { DriverError } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { isTokenFile, tokenDirectory, tokenFilesAreOff } from '../token-file.ts';

export type CredentialPlan = { subscriptionId: string } & (
  | { kind: 'secret'; tenantId: string; clientId: string; clientSecret: string }
  /** `certificate`: PEM with certificate and private key. */
  | { kind: 'certificate'; tenantId: string; clientId: string; certificate: string }
  | { kind: 'certificateFile'; tenantId: string; clientId: string; certificatePath: string }
  | { kind: 'tokenFile'; tenantId: string; clientId: string; tokenFilePath: string }
  /** `clientId`: of a user-assigned identity; empty for that of the system. */
  | { kind: 'managedIdentity'; clientId: string }
);

type SecretData = Readonly<Record<string, string>>;

/**
 * Keys of the Secret, in the spellings of Gardener's driver: `clientID` or `azureClientId`,
 * `tenantID` or `azureTenantId`, `subscriptionID` or `azureSubscriptionId`; and one of
 * `clientSecret` or `azureClientSecret`, `clientCertificate` or `azureClientCertificate` (PEM with
 * its private key), `workloadIdentityTokenFile`. Without any of these three those of the process,
 * if it allows that. Otherwise fails with the names of the keys that are missing.
 */
export function planCredentials(secret: SecretData, settings: DriverSettings): CredentialPlan {
  const means = meansKeys.filter((key) => valueOf(secret, key) !== '');
  if (means.length > 1) throw refused(`the Secret holds ${means.join(' and ')}: keep one of them`);
  const [only] = means;
  if (only !== undefined) return fromSecret(secret, only, settings);
  if (settings.allowsAmbientCredentials) return fromProcess(secret, settings.env);
  const missing = [
    ...missingIds(secret),
    'clientSecret, clientCertificate or workloadIdentityTokenFile',
  ];
  throw refused(
    `the Secret lacks ${missing.join(', ')}. (The credentials of the process are used only with --ambient-credentials.)`,
  );
}

const spellings = {
  clientID: ['clientID', 'azureClientId'],
  tenantID: ['tenantID', 'azureTenantId'],
  subscriptionID: ['subscriptionID', 'azureSubscriptionId'],
  clientSecret: ['clientSecret', 'azureClientSecret'],
  clientCertificate: ['clientCertificate', 'azureClientCertificate'],
  workloadIdentityTokenFile: ['workloadIdentityTokenFile'],
} as const;

type Key = keyof typeof spellings;
const meansKeys = ['clientSecret', 'clientCertificate', 'workloadIdentityTokenFile'] as const;
type Means = (typeof meansKeys)[number];

function valueOf(secret: SecretData, key: Key): string {
  const values = spellings[key].map((name) => secret[name]?.trim());
  return values.find((value) => value) ?? '';
}

function missingIds(secret: SecretData): string[] {
  const ids = ['clientID', 'tenantID', 'subscriptionID'] as const;
  return ids.filter((key) => valueOf(secret, key) === '');
}

function fromSecret(secret: SecretData, means: Means, settings: DriverSettings): CredentialPlan {
  const missing = missingIds(secret);
  if (missing.length > 0) throw refused(`the Secret lacks ${missing.join(', ')}`);
  const ids = {
    subscriptionId: valueOf(secret, 'subscriptionID'),
    tenantId: valueOf(secret, 'tenantID'),
    clientId: valueOf(secret, 'clientID'),
  };
  const value = valueOf(secret, means);
  switch (means) {
    case 'clientSecret':
      return { kind: 'secret', ...ids, clientSecret: value };
    case 'clientCertificate':
      return { kind: 'certificate', ...ids, certificate: value };
    case 'workloadIdentityTokenFile':
      return { kind: 'tokenFile', ...ids, tokenFilePath: allowedTokenFile(value, settings) };
  }
}

/**
 * The path of the Secret's token file. The token in it identifies this process, so a Secret could
 * name any application that trusts the process: that is why the flag has to allow it.
 */
function allowedTokenFile(path: string, { env, allowsTokenFiles = false }: DriverSettings): string {
  if (!allowsTokenFiles) {
    throw refused(`the Secret's workloadIdentityTokenFile: ${tokenFilesAreOff}`);
  }
  if (isTokenFile(path, env)) return normalize(path);
  throw refused(
    `the Secret's workloadIdentityTokenFile "${path}" is not below ${tokenDirectory(env)} (MILLWRIGHT_TOKEN_DIRECTORY)`,
  );
}

/** The variables of Azure's SDKs. The subscription may stand in the Secret all the same. */
function fromProcess(secret: SecretData, env: Environment): CredentialPlan {
  const subscriptionId = valueOf(secret, 'subscriptionID') || (env['AZURE_SUBSCRIPTION_ID'] ?? '');
  if (subscriptionId === '') {
    throw refused(
      'neither the Secret has a subscriptionID nor the process the variable AZURE_SUBSCRIPTION_ID',
    );
  }
  return (
    applicationOfProcess(subscriptionId, env) ?? {
      kind: 'managedIdentity',
      subscriptionId,
      clientId: env['AZURE_CLIENT_ID'] ?? '',
    }
  );
}

function applicationOfProcess(
  subscriptionId: string,
  env: Environment,
): CredentialPlan | undefined {
  const { AZURE_CLIENT_ID: clientId, AZURE_TENANT_ID: tenantId } = env;
  if (!clientId || !tenantId) return undefined;
  const ids = { subscriptionId, tenantId, clientId };
  const clientSecret = env['AZURE_CLIENT_SECRET'];
  if (clientSecret) return { kind: 'secret', ...ids, clientSecret };
  const certificatePath = env['AZURE_CLIENT_CERTIFICATE_PATH'];
  if (certificatePath) return { kind: 'certificateFile', ...ids, certificatePath };
  const tokenFilePath = env['AZURE_FEDERATED_TOKEN_FILE'];
  return tokenFilePath ? { kind: 'tokenFile', ...ids, tokenFilePath } : undefined;
}

const refused = (what: string): DriverError =>
  fault('unauthenticated', `Azure credentials: ${what}`);
