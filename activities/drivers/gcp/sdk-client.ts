/**
 * Compute Engine for each set of credentials. Imported by `prepare` or the first call: the SDK
 * costs a process 150 MB and half a second.
 */
import { readFile } from 'node:fs/promises';
import type { Compute } from './compute.ts';
import { send } from './sdk-call.ts';
import { createSdkClients } from './sdk-clients.ts';
import { createSdkCompute } from './sdk-compute.ts';
import {
  subjectTokenType,
  tokenUrl,
  type SecretCredentials,
  type ExternalAccount,
  type ServiceAccount,
} from './credentials.ts';
import { orAborted } from '../../system/or-aborted.ts';
import { TokenFailure } from './sdk-transport.ts';
import { TokenSource } from './token-source.ts';
import {
  gaxios,
  GoogleAuth,
  IdentityPoolClient,
  JWT,
  type AuthClient,
  type IdentityPoolClientOptions,
} from 'google-auth-library';
import { timeoutSignal } from '../../system/system.ts';

export interface SdkSettings {
  /** Default: Google's. */
  endpoint: URL | undefined;
  /** Default: Google's. */
  tokenEndpoint: URL | undefined;
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

export interface SdkClient {
  compute: Compute;
  /** The project of ambient credentials. */
  project?: (signal: AbortSignal) => Promise<string>;
}

/** Without credentials those of the process are used. */
export type ClientFactory = (credentials: SecretCredentials | undefined) => SdkClient;

export async function createClientFactory(settings: SdkSettings): Promise<ClientFactory> {
  const { endpoint, callTimeoutSeconds } = settings;
  const clients = await createSdkClients(endpoint);
  return (credentials) => {
    const tokens = new TokenSource(async () =>
      credentials
        ? createCredentials(credentials.account, settings)
        : await new AmbientCredentials(settings).client(),
    );
    const compute = createSdkCompute({ clients, tokens, callTimeoutSeconds });
    if (credentials) return { compute };
    let known: string | undefined;
    return {
      compute,
      async project(signal) {
        known ??= await ambientProject(settings, signal);
        return known;
      },
    };
  };
}

/** Each call asks by itself: what one waits for in vain is not waited for by the next. */
async function ambientProject(settings: SdkSettings, signal: AbortSignal): Promise<string> {
  const call = { what: 'find the project', signal, limitSeconds: settings.callTimeoutSeconds };
  return await send(call, async (sdk) => {
    try {
      return await orAborted(new AmbientCredentials(settings).project(), sdk.signal);
    } catch (cause) {
      throw new TokenFailure('no project', { cause });
    }
  });
}

/** Where the SDK's tokens come from. */
interface TokenSettings {
  /** Instead of Google's endpoints for tokens. */
  tokenEndpoint?: URL | undefined;
  /** Limit of a request for a token. */
  callTimeoutSeconds: number;
}

/**
 * Compute Engine has scopes of its own for reading and writing; what else is allowed is up to IAM.
 */
const scopes = ['https://www.googleapis.com/auth/compute'];

function createCredentials(
  account: SecretCredentials['account'],
  settings: TokenSettings,
): AuthClient {
  const transporter = tokenTransporter(settings);
  return account.kind === 'serviceAccount'
    ? serviceAccount(account, transporter)
    : externalAccount(account, transporter);
}

function serviceAccount(
  { email, privateKey, privateKeyId }: ServiceAccount,
  transporter: gaxios.Gaxios,
): AuthClient {
  const keyId = privateKeyId === undefined ? {} : { keyId: privateKeyId };
  return new JWT({ email, key: privateKey, ...keyId, scopes, transporter });
}

function externalAccount(
  { audience, impersonationUrl, subjectToken, file }: ExternalAccount,
  transporter: gaxios.Gaxios,
): AuthClient {
  const impersonation = impersonationUrl && {
    service_account_impersonation_url: impersonationUrl,
  };
  const options = {
    type: 'external_account',
    audience,
    subject_token_type: subjectTokenType,
    token_url: tokenUrl,
    ...impersonation,
    subject_token_supplier: {
      // Read anew for each exchange, as the file is renewed.
      getSubjectToken: async () => subjectToken ?? (await readFile(file, 'utf8')).trim(),
    },
    transporter,
  };
  const client = new FederatedClient(options);
  // With an impersonation in between, the first token has to reach that service as well; the
  // library sees to it.
  client.scopes = scopes;
  return client;
}

class FederatedClient extends IdentityPoolClient {
  constructor(options: IdentityPoolClientOptions) {
    super(options);
    // The library has one of its own for the exchange, which tries again by itself.
    Object.assign(this.stsCredential, { transporter: this.transporter });
  }
}

/**
 * Google's order: the file that GOOGLE_APPLICATION_CREDENTIALS names, then the metadata server of
 * instance or workload. The library reads the environment of the process itself.
 */
class AmbientCredentials {
  readonly #auth = new GoogleAuth({ scopes });
  readonly #transporter: gaxios.Gaxios;

  constructor(settings: TokenSettings) {
    this.#transporter = tokenTransporter(settings);
  }

  async client(): Promise<AuthClient> {
    const client = await this.#auth.getClient();
    // The library does not hand an option for it on to what it finds.
    client.transporter = this.#transporter;
    return client;
  }

  async project(): Promise<string> {
    return await this.#auth.getProjectId();
  }
}

/** One request for a token is one request: the caller's caller tries again. */
function tokenTransporter({ tokenEndpoint, callTimeoutSeconds }: TokenSettings): gaxios.Gaxios {
  const transporter = new gaxios.Gaxios();
  transporter.interceptors.request.add({
    resolved: async (options) => {
      const isToken = ['oauth2.googleapis.com', 'sts.googleapis.com'].includes(
        options.url.hostname,
      );
      const url = tokenEndpoint && isToken ? tokenEndpoint : options.url;
      const timeout = timeoutSignal(Math.ceil(callTimeoutSeconds * 1_000));
      return { ...options, url, retry: false, retryConfig: { retry: 0 }, signal: timeout };
    },
  });
  return transporter;
}
