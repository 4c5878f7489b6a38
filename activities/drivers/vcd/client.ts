/** Calls of VMware Cloud Director's API, in its JSON form, with the credentials of a class. */
import { monotonicMs } from '../../system/system.ts';
import { DriverError } from '../driver.ts';
import type { MeaningName } from '../error-meanings.ts';
import { orAbsent } from '../frame/http.ts';
import type { Refusal, RestAnswer, RestCall, RestClient } from '../frame/http.ts';
import { meaningOfWords, unknownAnswer, type RestAccess } from '../frame/rest-driver.ts';
import { credentialsOf, type VcdCredentials } from './credentials.ts';
import { codeMeanings, statusMeanings, wordsMeanings } from './errors.ts';

/** A section of a machine; `_type` says which. */
export interface Section extends Record<string, unknown> {
  _type?: string;
}

/** `VmType`, as far as it is read. */
export interface VmAnswer {
  /** `urn:vcloud:vm:UUID` */
  id: string;
  name: string;
  description?: string;
  status?: number;
  deployed?: boolean;
  dateCreated?: string;
  section?: Section[];
  tasks?: { task?: TaskAnswer[] };
}

/** `VAppType`, as far as it is read. */
export interface VappAnswer {
  name: string;
  description?: string;
  children?: { vm?: VmAnswer[] };
}

/** `TaskType`, as far as it is read. */
export interface TaskAnswer {
  /** `urn:vcloud:task:UUID` */
  id: string;
  status: string;
  progress?: number;
  startTime?: string;
  endTime?: string;
  error?: { message?: string; minorErrorCode?: string };
}

/** Begins something. */
export interface Work {
  what: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** What the body is: `recomposeVAppParams`. */
  kind?: string;
  body?: object;
  isCreate?: boolean;
}

export interface Director {
  vapp: (path: string, signal: AbortSignal) => Promise<VappAnswer>;
  /** Undefined when there is none that the user may see. */
  vm: (uuid: string, signal: AbortSignal) => Promise<VmAnswer | undefined>;
  task: (uuid: string, signal: AbortSignal) => Promise<TaskAnswer | undefined>;
  /** The paths of what is of this type, and has these values. */
  query: (
    type: 'vApp' | 'vm' | 'orgVdcStorageProfile',
    where: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<string[]>;
  begin: (work: Work, signal: AbortSignal) => Promise<TaskAnswer>;
}

export const title = 'VMware Cloud Director';

export const access: RestAccess<VcdCredentials, Director> = {
  title,
  credentialsOf,
  tlsOf: ({ ca, allowsAnyCertificate }) => ({ ca, rejectUnauthorized: !allowsAnyCertificate }),
  refusalIn,
  apiOf: (client, credentials) => directorOf(loggedIn(client, credentials)),
};

const version = '37.0';
/** A login ends after half an hour without a call. */
const loginMilliseconds = 10 * 60_000;

type Send = (call: RestCall) => Promise<RestAnswer>;

function loggedIn(client: RestClient, credentials: VcdCredentials): Send {
  let login: { token: string; at: number } | undefined;
  const sendWith = async (call: RestCall, token: string): Promise<RestAnswer> => {
    const accept = `application/*+json;version=${version}`;
    const authorization = `Bearer ${token}`;
    return await client.send({ ...call, headers: { accept, ...call.headers, authorization } });
  };
  return async (call) => {
    const kept = login && monotonicMs() - login.at < loginMilliseconds ? login : undefined;
    const current = kept ?? { token: await logIn(client, credentials, call), at: monotonicMs() };
    login = current;
    try {
      return await sendWith(call, current.token);
    } catch (error) {
      if (!(error instanceof DriverError) || error.code !== 'Unauthenticated') throw error;
      login = undefined;
      if (!kept) throw error;
    }
    // The cloud ended the login, and has done nothing.
    return await sendWith(call, await logIn(client, credentials, call));
  };
}

async function logIn(
  client: RestClient,
  { authorization }: VcdCredentials,
  { signal }: RestCall,
): Promise<string> {
  const headers = { accept: `application/json;version=${version}`, authorization };
  const path = '/cloudapi/1.0.0/sessions';
  const answer = await client.send({ what: 'log in', method: 'POST', path, headers, signal });
  const token = answer.headers['x-vmware-vcloud-access-token'];
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw unknownAnswer(title);
}

const pageSize = 128;

function directorOf(send: Send): Director {
  const get = async (path: string, signal: AbortSignal): Promise<unknown> =>
    (await send({ what: `read ${path}`, method: 'GET', path, signal })).json;
  return {
    async vapp(path, signal) {
      const found: VappAnswer = Object(await get(path, signal));
      const { name, children } = found;
      if (typeof name !== 'string' || !(children?.vm ?? []).every(isVm)) throw unknownAnswer(title);
      return found;
    },
    async vm(uuid, signal) {
      const found = await orUnseen(get(`/api/vApp/vm-${encodeURIComponent(uuid)}`, signal));
      const vm: VmAnswer | undefined = found && Object(found.answer);
      if (vm && !isVm(vm)) throw unknownAnswer(title);
      return vm;
    },
    async task(uuid, signal) {
      const path = `/api/task/${encodeURIComponent(uuid)}`;
      const found = await orUnseen(get(path, signal));
      return found && taskIn(found.answer);
    },
    async query(type, where, signal) {
      const filter = Object.entries(where).map(([key, value]) => `${key}==${escaped(value)}`);
      const query = `type=${type}&format=records&pageSize=${pageSize}&filter=(${filter.join(';')})`;
      const call = { what: `query ${type}`, method: 'GET', signal } as const;
      const { json } = await send({ ...call, path: `/api/query?${query}` });
      const { record }: Record<string, unknown> = Object(json);
      if (!Array.isArray(record)) throw unknownAnswer(title);
      return record.map((one) => pathIn(Object(one).href));
    },
    async begin({ kind, ...work }, signal) {
      const type = `application/vnd.vmware.vcloud.${kind}+json;version=${version}`;
      const headers = kind === undefined ? {} : { 'content-type': type };
      return taskIn((await send({ ...work, headers, signal })).json);
    },
  };
}

const isVm = ({ id, name }: VmAnswer): boolean =>
  typeof id === 'string' && typeof name === 'string';

function taskIn(json: unknown): TaskAnswer {
  const task: TaskAnswer = Object(json);
  if (typeof task.status !== 'string' || typeof task.id !== 'string') throw unknownAnswer(title);
  return task;
}

/** Of a value in a filter. */
const escaped = (value: string): string =>
  encodeURIComponent(value.replaceAll(/[,;()*\\]/g, String.raw`\$&`));

/** The host of an address is never followed. */
function pathIn(href: unknown): string {
  const { pathname = '' } = (typeof href === 'string' && URL.parse(href)) || {};
  const [path] = /\/api\/[\w/-]+$/.exec(pathname) ?? [];
  if (path === undefined) throw unknownAnswer(title);
  return path;
}

/** What is not there, and what the user may not see, is the same 403. */
async function orUnseen(call: Promise<unknown>): Promise<{ answer: unknown } | undefined> {
  try {
    return await orAbsent(call.then((answer) => ({ answer })));
  } catch (error) {
    const isUnseen = error instanceof DriverError && error.message.includes(unseen);
    if (isUnseen) return undefined;
    throw error;
  }
}

const unseen = ' 403 ACCESS_TO_RESOURCE_IS_FORBIDDEN:';

/** `ErrorType`. */
function refusalIn({ status, json }: RestAnswer): Refusal | undefined {
  const { message, minorErrorCode: code }: Record<string, unknown> = Object(json);
  if (typeof message !== 'string' || typeof code !== 'string') return undefined;
  const meaning = meaningOf(message, code, statusMeanings[status] ?? 'unknown');
  return { meaning, code, words: message };
}

export function meaningOf(words: string, code: string, otherwise: MeaningName): MeaningName {
  return codeMeanings[code] ?? meaningOfWords(wordsMeanings, words, otherwise);
}
