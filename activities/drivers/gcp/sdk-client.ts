/**
 * Compute Engine for each set of credentials. Imported by `prepare` or the first call: the SDK
 * costs a process 150 MB and half a second.
 */
import type { Compute } from './compute.ts';
import { send } from './sdk-call.ts';
import { createSdkClients } from './sdk-clients.ts';
import { createSdkCompute } from './sdk-compute.ts';
import { AmbientCredentials, createCredentials } from './sdk-credentials.ts';
import type { SecretCredentials } from './credentials.ts';
import { orAborted } from '../../system/or-aborted.ts';
import { TokenFailure } from './sdk-transport.ts';
import { TokenSource } from './token-source.ts';

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
