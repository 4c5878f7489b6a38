/** Calls of Yandex Cloud with the credentials of a class, and their IAM token. */
import { ClientCache } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import { createRestClient, type RestCall, type RestClient } from '../frame/http.ts';
import { nowMs } from '../../system/system.ts';
import type { DriverSettings } from '../settings.ts';
import { credentialsOf, signedToken, type Credentials } from './credentials.ts';
import { refusalIn } from './errors.ts';

const title = 'Yandex Cloud';
const services = ['compute', 'iam', 'operation'] as const;
type Service = (typeof services)[number];

export interface Account {
  folder: string;
  call: (call: RestCall & { service?: Service }) => Promise<unknown>;
}

/** Fails when the endpoint in the environment is not a URL; makes no call. */
export function createAccounts({ env }: DriverSettings, callTimeoutSeconds: number) {
  const given = env['MILLWRIGHT_YANDEX_ENDPOINT'];
  if (given && !URL.canParse(given)) {
    throw new Error(`MILLWRIGHT_YANDEX_ENDPOINT: "${given}" is not a URL such as https://HOST`);
  }
  const api = { title, env, callTimeoutSeconds, refusalIn, requestIdHeader: 'x-request-id' };
  const clientOf = (service: Service, headers: (signal: AbortSignal) => Promise<Headers>) => {
    const url = new URL(given || `https://${service}.api.cloud.yandex.net`);
    return createRestClient({ ...api, url, headers });
  };
  const iam = clientOf('iam', async () => ({}));
  const sessions = new ClientCache<Session>({ close: (session) => session.close() });
  return ({ secret }: Pick<ProviderRequest, 'secret'>): Account => {
    const credentials = credentialsOf(secret);
    const make = () => new Session(clientOf, iam, credentials);
    const session = sessions.get(Object.values(credentials), make);
    return { folder: credentials.folder, call: (call) => session.call(call) };
  };
}

type Headers = Record<string, string>;

/** A token lives for twelve hours; Yandex Cloud advises to take another each hour. */
const tokenMilliseconds = 3_600_000;

class Session {
  readonly #clients: Record<Exclude<Service, 'iam'>, RestClient>;
  readonly #iam: RestClient;
  readonly #credentials: Credentials;
  #token: { text: string; at: number } | undefined;

  constructor(
    clientOf: (service: Service, headers: (signal: AbortSignal) => Promise<Headers>) => RestClient,
    iam: RestClient,
    credentials: Credentials,
  ) {
    const headers = async (signal: AbortSignal): Promise<Headers> => ({
      authorization: `Bearer ${await this.#tokenFor(signal)}`,
    });
    this.#clients = {
      compute: clientOf('compute', headers),
      operation: clientOf('operation', headers),
    };
    this.#iam = iam;
    this.#credentials = credentials;
  }

  close(): void {
    for (const client of Object.values(this.#clients)) void client.close();
  }

  async call({ service = 'compute', ...call }: RestCall & { service?: Service }): Promise<unknown> {
    const client = service === 'iam' ? this.#iam : this.#clients[service];
    try {
      return (await client.send(call)).json;
    } catch (error) {
      // The next call asks for another token.
      if (error instanceof DriverError && error.code === 'Unauthenticated') this.#token = undefined;
      throw error;
    }
  }

  async #tokenFor(signal: AbortSignal): Promise<string> {
    const now = nowMs();
    if (this.#token && now - this.#token.at < tokenMilliseconds) return this.#token.text;
    const body = { jwt: signedToken(this.#credentials) };
    const call = {
      what: 'get an IAM token',
      method: 'POST',
      path: '/iam/v1/tokens',
      body,
    } as const;
    const { json } = await this.#iam.send({ ...call, signal });
    const text = String(Object(json)['iamToken']);
    this.#token = { text, at: now };
    return text;
  }
}
