/** Clients of EC2, made of a Secret's credentials, the class's region, and the operator's endpoints. */
import type { EC2, EC2ClientConfig } from '@aws-sdk/client-ec2';
import { ClientCache } from '../client-cache.ts';
import type { ProviderRequest } from '../driver.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import { ec2Calls, type Ec2 } from './ec2.ts';
import { regionOf } from './spec-fields.ts';

export type AccountRequest = Pick<ProviderRequest, 'providerSpec' | 'secret' | 'signal'> & {
  providerID?: string;
};

/** Calls for one request. Fails with a `DriverError` if the class or its Secret lead nowhere. */
export type Connect = (request: AccountRequest) => Promise<Ec2>;

export interface ConnectOptions {
  settings: DriverSettings;
  callTimeoutSeconds: number;
}

/** More than the driver's queue runs at once: a call that hangs must not hold up another. */
const connectionsMax = 256;
const connectTimeoutMilliseconds = 10_000;

export function createConnect({ settings, callTimeoutSeconds }: ConnectOptions): Connect {
  const clients = new ClientCache<EC2>({ close: (client) => client.destroy() });
  return async ({ providerSpec, providerID, secret, signal }) => {
    const region = regionOf(providerSpec, providerID);
    const credentials = credentialsOf(secret, settings);
    const sdk = await loadSdk();
    const parts = [region, JSON.stringify(credentials)];
    const make = (): EC2 => new sdk.EC2(configOf({ sdk, region, credentials, env: settings.env }));
    const client = clients.get(parts, make);
    return ec2Calls({ client, region, signal, callTimeoutSeconds });
  };
}

/** A tenth of a gigabyte and most of a second: only workers that see AWS pay for it. */
async function loadSdk() {
  const [ec2, providers] = await Promise.all([
    import('@aws-sdk/client-ec2'),
    import('@aws-sdk/credential-providers'),
  ]);
  return { ...ec2, ...providers };
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

interface ClientParts {
  sdk: Sdk;
  region: string;
  credentials: Credentials;
  env: Environment;
}

function configOf(parts: ClientParts): EC2ClientConfig {
  const { region, env } = parts;
  const endpoint = env['AWS_ENDPOINT_URL_EC2'] || env['AWS_ENDPOINT_URL'];
  return {
    region,
    credentials: providerOf(parts),
    // Temporal retries: one call is one request, one metric.
    maxAttempts: 1,
    customUserAgent: 'millwright',
    requestHandler: {
      connectionTimeout: connectTimeoutMilliseconds,
      httpAgent: { maxSockets: connectionsMax, keepAlive: true },
      httpsAgent: { maxSockets: connectionsMax, keepAlive: true },
    },
    ...(endpoint && { endpoint }),
  };
}

/** Those of roles are fetched when they are needed, and again before they expire. */
function providerOf({ sdk, region, credentials, env }: ClientParts) {
  const endpoint = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL'];
  const clientConfig = { region, maxAttempts: 1, ...(endpoint && { endpoint }) };
  switch (credentials.kind) {
    case 'keys': {
      const { kind: _kind, ...keys } = credentials;
      return keys;
    }
    case 'webIdentity': {
      const { tokenFile: webIdentityTokenFile, roleArn } = credentials;
      const roleSessionName = 'millwright';
      return sdk.fromTokenFile({ webIdentityTokenFile, roleArn, roleSessionName, clientConfig });
    }
    case 'ambient':
      return sdk.fromNodeProviderChain({ clientConfig });
  }
}
