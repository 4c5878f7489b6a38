/** Calls of ECS with the credentials of a class. Each is one request. */
import { ClientCache } from '../client-cache.ts';
import type { ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { createRestClient, type RestClient } from '../frame/http.ts';
import type { DriverSettings } from '../settings.ts';
import { credentialsOf } from './credentials.ts';
import { refusalIn } from './errors.ts';
import hosts from './hosts.json' with { type: 'json' };
import type { CallName, Answer } from './sdk.ts';

interface Call {
  region: string;
  /** By the names of the SDK's model. */
  input: object;
  what: string;
  signal: AbortSignal;
  isCreate?: boolean;
}

export type Ecs = <A extends CallName>(action: A, call: Call) => Promise<Answer<A>>;

const title = 'Alibaba Cloud';
const api = { title, refusalIn, requestIdHeader: 'x-acs-request-id', headers: () => ({}) };

export const loadSdk = async () => await import('./sdk.ts');

/** Fails when the endpoint in the environment is not a URL; makes no call and loads no SDK. */
export function createAccounts({ env }: DriverSettings, callTimeoutSeconds: number) {
  const given = env['MILLWRIGHT_ALICLOUD_ENDPOINT'];
  if (given && !URL.canParse(given)) {
    throw new Error(`MILLWRIGHT_ALICLOUD_ENDPOINT: "${given}" is not a URL such as https://HOST`);
  }
  const clients = new ClientCache<RestClient>({ close: (rest) => void rest.close() });
  return ({ secret }: Pick<ProviderRequest, 'secret'>): Ecs => {
    const credentials = credentialsOf(secret);
    return async (action, { region, input, ...call }) => {
      const { answerOf, signedRequest } = await loadSdk();
      const url = new URL(given || endpointOf(region));
      // The credentials stand in each request, so that a connection serves them all.
      const make = () => createRestClient({ ...api, env, url, callTimeoutSeconds });
      const signed = signedRequest(action, input, { host: url.host, credentials });
      const { json } = await clients.get([url.href], make).send({ ...call, ...signed });
      try {
        return answerOf(action, json);
      } catch (error) {
        // The SDK says which field has which type, and no value.
        const words = error instanceof Error ? error.message : String(error);
        throw fault('unknown', `${title}: ${call.what}: an answer of another form: ${words}`);
      }
    };
  };
}

/** It becomes a part of the name of a host. */
export function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z]{2,3}(-[a-z0-9]+){1,4}$/.test(region);
}

function endpointOf(region: string): string {
  const host = Object.entries(hosts).find(([name]) => name === region)?.[1];
  return `https://${host ?? `ecs.${region}.aliyuncs.com`}`;
}
