/** A client of Compute Engine for one set of credentials. Imported at the first call only, as it brings the SDK. */
import type { Environment } from '../settings.ts';
import { errorOfToken } from './token-error.ts';
import type { Compute } from './compute.ts';
import type { SecretCredentials } from './secret.ts';
import { createSdkCompute } from './sdk-compute.ts';
import { ambientAuth, createCredentials } from './sdk-credentials.ts';

export interface ClientOptions {
  /** Default: those of the process. */
  credentials: SecretCredentials | undefined;
  env: Environment;
  endpoint: URL | undefined;
  tokenEndpoint: URL | undefined;
  callTimeoutSeconds: number;
}

export interface SdkClient {
  compute: Compute;
  project?: () => Promise<string>;
}

export function createClient(options: ClientOptions): SdkClient {
  const { credentials, env, endpoint, tokenEndpoint, callTimeoutSeconds } = options;
  const tokenSettings = { tokenEndpoint, callTimeoutSeconds };
  if (credentials) {
    const client = createCredentials(credentials.account, tokenSettings);
    const compute = createSdkCompute({
      credentials: async () => client,
      endpoint,
      callTimeoutSeconds,
    });
    return { compute };
  }
  const auth = ambientAuth(env, tokenSettings);
  return {
    compute: createSdkCompute({
      credentials: () => auth.getClient(),
      endpoint,
      callTimeoutSeconds,
    }),
    project: async () => {
      try {
        return await auth.getProjectId();
      } catch (error) {
        throw errorOfToken('find the project', error, false);
      }
    },
  };
}
