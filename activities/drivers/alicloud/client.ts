/** ECS in each region, with the credentials of a class. Each call is one request. */
import { ClientCache } from '../client-cache.ts';
import { DriverError, type ProviderRequest } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { createRestClient, orAbsent, type RestClient } from '../frame/http.ts';
import type { DriverSettings } from '../settings.ts';
import { credentialsOf, type Credentials } from './credentials.ts';
import { refusalIn } from './errors.ts';
import { viewOf, type AliInstance } from './instance-view.ts';
import { endpointOf } from './regions.ts';
import type { RunInstances } from './run-instances.ts';
import type { Action } from './sdk.ts';

export const title = 'Alibaba Cloud';

export interface InstanceQuery {
  instanceIds?: string;
  instanceName?: string;
  tag?: { key: string; value: string }[];
}

/** Of one region. */
export interface Ecs {
  /** The id of the instance, also where the token had made it before. */
  run: (input: RunInstances, signal: AbortSignal) => Promise<string>;
  /** All pages. `what`: in words. */
  describe: (query: InstanceQuery, what: string, signal: AbortSignal) => Promise<AliInstance[]>;
  /** False: it was gone. */
  delete: (id: string, signal: AbortSignal) => Promise<boolean>;
  /** Sets these tags, whichever values they had. */
  tag: (id: string, tags: Record<string, string>, signal: AbortSignal) => Promise<void>;
  console: (id: string, signal: AbortSignal) => Promise<string | undefined>;
}

export interface Account {
  ecs: (region: string) => Ecs;
}

export interface Accounts {
  of: (request: Pick<ProviderRequest, 'secret'>) => Account;
  /** Loads the SDK; makes no call. */
  prepare: () => Promise<void>;
}

type Sdk = typeof import('./sdk.ts');

interface Caller {
  sdk: () => Promise<Sdk>;
  rest: RestClient;
  host: string;
  region: string;
  credentials: Credentials;
}

/** Fails when the endpoint in the environment is not a URL; makes no call and loads no SDK. */
export function createAccounts({ env }: DriverSettings, callTimeoutSeconds: number): Accounts {
  const given = endpointIn(env['MILLWRIGHT_ALICLOUD_ENDPOINT']);
  const clients = new ClientCache<RestClient>({ close: (rest) => void rest.close() });
  let loading: Promise<Sdk> | undefined;
  const sdk = async (): Promise<Sdk> => await (loading ??= import('./sdk.ts'));
  return {
    async prepare() {
      await sdk();
    },
    of({ secret }) {
      const credentials = credentialsOf(secret);
      const ecs = (region: string): Ecs => {
        const url = given ?? endpointOf(region);
        // The credentials stand in each request, so that a connection serves them all.
        const rest = clients.get([url.href], () =>
          createRestClient({
            title,
            url,
            callTimeoutSeconds,
            env,
            headers: () => ({}),
            ...answers,
          }),
        );
        return ecsOf({ sdk, rest, host: url.host, region, credentials });
      };
      return { ecs };
    },
  };
}

const answers = { refusalIn, requestIdHeader: 'x-acs-request-id' };

function endpointIn(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`MILLWRIGHT_ALICLOUD_ENDPOINT: "${text}" is not a URL such as https://HOST`);
}

interface Call<Answer> {
  action: Action;
  /** By the names of the SDK's model. */
  input: object;
  what: string;
  signal: AbortSignal;
  isCreate?: boolean;
  /** Reads what the call is for. Default: nothing is read. */
  read?: (sdk: Sdk, json: unknown) => Answer;
}

async function send<Answer>(caller: Caller, call: Call<Answer>): Promise<Answer | undefined> {
  const { action, input, what, signal, isCreate = false, read } = call;
  const { host, credentials } = caller;
  const sdk = await caller.sdk();
  const { method, path, headers } = sdk.signedRequest({ action, input, host, credentials });
  const { rest } = caller;
  const { json } = await rest.send({ what, method, path, headers, signal, isCreate });
  try {
    return read?.(sdk, json);
  } catch (error) {
    // The SDK says which field has which type, and no value.
    const words = error instanceof Error ? error.message : String(error);
    throw fault('unknown', `${title}: ${what}: an answer of another form: ${words}`);
  }
}

function ecsOf(caller: Caller): Ecs {
  const { region: regionId } = caller;
  return {
    async run(input, signal) {
      const id = await send(caller, {
        action: 'RunInstances',
        input: { regionId, amount: 1, ...input },
        what: `run instance ${input.instanceName}`,
        signal,
        isCreate: true,
        read: (sdk, json) => sdk.readers.run(json).instanceIdSets?.instanceIdSet?.[0],
      });
      if (id) return id;
      throw fault('unknown', `${title}: run instance ${input.instanceName}: no id is answered`);
    },
    describe: (query, what, signal) => describeAll(caller, query, { what, signal }),
    async delete(instanceId, signal) {
      const deletion = send(caller, {
        action: 'DeleteInstance',
        // Force: also one that runs, as with Gardener's driver.
        input: { instanceId, force: true },
        what: `delete instance ${instanceId}`,
        signal,
        read: () => true,
      });
      return (await orAbsent(deletion)) ?? false;
    },
    async tag(id, tags, signal) {
      const tag = Object.entries(tags).map(([key, value]) => ({ key, value }));
      const input = { regionId, resourceType: 'instance', resourceId: [id], tag };
      const what = `set tags of instance ${id}`;
      await send(caller, { action: 'TagResources', input, what, signal });
    },
    async console(instanceId, signal) {
      const output = await orAbsent(
        send(caller, {
          action: 'GetInstanceConsoleOutput',
          input: { regionId, instanceId },
          what: `read the console of instance ${instanceId}`,
          signal,
          read: (sdk, json) => sdk.readers.console(json).consoleOutput ?? '',
        }),
      );
      return output === undefined ? undefined : Buffer.from(output, 'base64').toString('utf8');
    },
  };
}

/** 20,000 instances: a listing that has more pages does not end. */
const pagesMax = 200;

async function describeAll(
  caller: Caller,
  query: InstanceQuery,
  { what, signal }: { what: string; signal: AbortSignal },
): Promise<AliInstance[]> {
  const { region: regionId } = caller;
  const all: AliInstance[] = [];
  let nextToken: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const body = await send(caller, {
      action: 'DescribeInstances',
      input: { regionId, maxResults: 100, ...query, ...(nextToken && { nextToken }) },
      what,
      signal,
      read: (sdk, json) => sdk.readers.describe(json),
    });
    const { instance } = body?.instances ?? {};
    if (!instance) throw fault('unknown', `${title}: ${what}: the answer has no instances`);
    all.push(...instance.map((one) => viewOf(regionId, one)));
    nextToken = body?.nextToken;
    if (!nextToken) return all;
  }
  throw fault('unknown', `${title}: ${what}: the list does not end`);
}

/** Another call works on the same instance, or it is in a state that ends by itself. */
export function isConflict(error: unknown): boolean {
  return error instanceof DriverError && error.code === 'Aborted';
}
