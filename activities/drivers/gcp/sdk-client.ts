/** Compute Engine for each set of credentials. Imported at the first call only: the SDK costs a process 150 MB and half a second. */
import type { Compute } from './compute.ts';
import { createSdkClients } from './sdk-clients.ts';
import { createSdkCompute } from './sdk-compute.ts';
import { AmbientCredentials, createCredentials } from './sdk-credentials.ts';
import type { SecretCredentials } from './secret.ts';
import { errorOfToken } from './token-error.ts';

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
  /** Of ambient credentials. */
  project?: () => Promise<string>;
}

/** Without credentials those of the process are used. */
export type ClientFactory = (credentials: SecretCredentials | undefined) => SdkClient;

export async function createClientFactory(settings: SdkSettings): Promise<ClientFactory> {
  const { endpoint, callTimeoutSeconds } = settings;
  const clients = await createSdkClients(endpoint);
  return (credentials) => {
    if (!credentials) {
      const ambient = new AmbientCredentials(settings);
      const token = () => ambient.client();
      const compute = createSdkCompute({ clients, credentials: token, callTimeoutSeconds });
      return { compute, project: () => projectOf(ambient) };
    }
    const client = createCredentials(credentials.account, settings);
    const token = async () => client;
    return { compute: createSdkCompute({ clients, credentials: token, callTimeoutSeconds }) };
  };
}

async function projectOf(ambient: AmbientCredentials): Promise<string> {
  try {
    return await ambient.project();
  } catch (error) {
    throw errorOfToken('find the project', error, false);
  }
}
