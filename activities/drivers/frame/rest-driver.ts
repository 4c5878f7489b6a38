/** What drivers of clouds with a REST API say alike beside their calls. */
import { isIP } from 'node:net';
import { ClientCache } from '../client-cache.ts';
import type { DriverError, Instance, ProviderRequest } from '../driver.ts';
import type { MeaningName } from '../error-meanings.ts';
import type { DriverSettings, Environment } from '../settings.ts';
import type { TagSpelling } from './cloud.ts';
import { usualNames } from './tags.ts';
import type { FrameOptions } from './driver.ts';
import { fault } from './fault.ts';
import { createRestClient, type RestClient, type RestOptions } from './http.ts';

export interface RestDriverLimits extends Omit<FrameOptions, 'allowsRetagging'> {
  /** The limit of one request. Default 30. */
  callTimeoutSeconds?: number;
}

/** How a cloud is reached with the credentials of a class. */
export interface RestAccess<Credentials extends { url: URL }, Api> extends Pick<
  RestOptions,
  'title' | 'refusalIn'
> {
  credentialsOf: (secret: ProviderRequest['secret'], env: Environment) => Credentials;
  /** Below the URL. Default: nothing. */
  path?: string;
  headersOf?: (credentials: Credentials) => Record<string, string>;
  tlsOf?: (credentials: Credentials) => NonNullable<RestOptions['tls']>;
  apiOf: (client: RestClient, credentials: Credentials) => Api;
}

export type RestAccounts<Api> = (request: Pick<ProviderRequest, 'secret'>) => Api;

export function createRestAccounts<Credentials extends { url: URL }, Api>(
  access: RestAccess<Credentials, Api>,
  { env }: DriverSettings,
  callTimeoutSeconds: number,
): RestAccounts<Api> {
  const clients = new ClientCache<{ client: RestClient; api: Api }>({
    close: ({ client }) => void client.close(),
  });
  const { title, refusalIn, path = '' } = access;
  return ({ secret }) => {
    const credentials = access.credentialsOf(secret, env);
    const make = (): { client: RestClient; api: Api } => {
      const client = createRestClient({
        title,
        url: path === '' ? credentials.url : new URL(path, credentials.url),
        callTimeoutSeconds,
        headers: () => access.headersOf?.(credentials) ?? {},
        tls: access.tlsOf?.(credentials),
        env,
        refusalIn,
      });
      return { client, api: access.apiOf(client, credentials) };
    };
    return clients.get([title, JSON.stringify(credentials)], make).api;
  };
}

/** Tags with the names that the contract has. */
export const usualTags: TagSpelling = {
  word: 'tag',
  names: usualNames,
  allowed: /^[^\s=]{1,128}$/,
};

/** As words of a description, for clouds whose own tags have to be there beforehand. */
export function textOfTags(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Other words, such as a person's note, are left out. */
export function tagsInText(text: string): Record<string, string> {
  const pairs = text.matchAll(/(?:^|\s)(millwright\.dev\/[a-z-]+)=(\S+)/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]));
}

/** Taken for "nothing is there", such an answer would make a second instance. */
export function unknownAnswer(title: string): DriverError {
  return fault(
    'unknown',
    `${title}: an answer without what was asked for (is something in between?)`,
  );
}

export type WordsTable = readonly (readonly [RegExp, MeaningName])[];

/** The first pattern that fits counts. */
export function meaningOfWords(
  table: WordsTable,
  words: string,
  otherwise: MeaningName,
): MeaningName {
  return table.find(([pattern]) => pattern.test(words))?.[1] ?? otherwise;
}

/** Undefined when it is missing, or no time. */
export function millisecondsOf(time: string | undefined): number | undefined {
  const milliseconds = Date.parse(time ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Of a providerID, the first group of the pattern. `form`: for people. */
export function refBy(pattern: RegExp, form: string): (providerID: string) => string {
  return (providerID) => {
    const [, ref] = pattern.exec(providerID) ?? [];
    if (ref !== undefined) return ref;
    throw fault('input', `spec.providerID: "${providerID}" is not of the form ${form}`);
  };
}

const isPrivate = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|f[cd][0-9a-f]{2}:)/i;

/** Of an instance that answers to its name. What is no IP address is left out. */
export function addressesOf(
  ips: readonly (string | undefined)[],
  name: string,
): NonNullable<Instance['addresses']> {
  const known = [...new Set(ips)].filter((ip) => ip !== undefined);
  return [
    ...known
      .filter((address) => isIP(address) !== 0)
      .map((address) => {
        return { type: isPrivate.test(address) ? 'InternalIP' : 'ExternalIP', address };
      }),
    { type: 'Hostname', address: name },
  ];
}

/** One after the other. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
