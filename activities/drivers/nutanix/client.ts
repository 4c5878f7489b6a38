/** Calls of Prism Central's v3 API with the credentials of a class. */
import type { DriverError } from '../driver.ts';
import { orAbsent, type Refusal, type RestAnswer, type RestClient } from '../frame/http.ts';
import { meaningOfWords, unknownAnswer, type RestAccess } from '../frame/rest-driver.ts';
import { credentialsOf, type NutanixCredentials } from './credentials.ts';
import { statusMeanings, wordsMeanings } from './errors.ts';

export interface Reference {
  kind: string;
  uuid: string;
}

/** `VMIntentInput`, as far as a class fills it. */
export interface VmBody {
  metadata: {
    kind: 'vm';
    categories?: Record<string, string>;
    project_reference?: Reference;
  };
  spec: {
    name: string;
    description: string;
    cluster_reference: Reference;
    resources: Record<string, unknown>;
  };
}

interface Message {
  message?: string;
  reason?: string;
}

/** `VMIntentResponse`, as far as it is read. */
export interface VmAnswer {
  metadata: { uuid: string; creation_time?: string };
  spec?: { name?: string; description?: string };
  status?: {
    name?: string;
    description?: string;
    state?: string;
    message_list?: Message[];
    resources?: { nic_list?: { ip_endpoint_list?: { ip?: string }[] }[] };
    cluster_reference?: { uuid?: string };
  };
}

export interface Task {
  status?: string;
  percentage_complete?: number;
  creation_time?: string;
  last_update_time?: string;
  error_detail?: string;
  progress_message?: string;
}

/** What is looked up by its name. */
export type NamedKind = 'cluster' | 'subnet' | 'image' | 'project';

export interface NutanixApi {
  /** Undefined when there is none. */
  get: (uuid: string, signal: AbortSignal) => Promise<VmAnswer | undefined>;
  /** All of the name, or all that there are. */
  list: (name: string | undefined, signal: AbortSignal) => Promise<VmAnswer[]>;
  create: (intent: VmBody, signal: AbortSignal) => Promise<VmAnswer>;
  /** The task that does it; undefined when there is no such machine. */
  remove: (uuid: string, signal: AbortSignal) => Promise<string | undefined>;
  task: (uuid: string, signal: AbortSignal) => Promise<Task | undefined>;
  /** Things of exactly this name. */
  named: (kind: NamedKind, name: string, signal: AbortSignal) => Promise<VmAnswer[]>;
}

export const access: RestAccess<NutanixCredentials, NutanixApi> = {
  title: 'Nutanix',
  path: '/api/nutanix/v3',
  credentialsOf,
  headersOf: ({ authorization }) => ({ authorization }),
  tlsOf: ({ ca, allowsAnyCertificate }) => ({ ca, rejectUnauthorized: !allowsAnyCertificate }),
  refusalIn,
  apiOf: prismOf,
};

const pageLength = 250;

const pathOf = (uuid: string): string => `/vms/${encodeURIComponent(uuid)}`;

function prismOf(client: RestClient): NutanixApi {
  return {
    async get(uuid, signal) {
      const call = { what: `read VM ${uuid}`, method: 'GET', path: pathOf(uuid), signal } as const;
      const answer = await orAbsent(client.send(call));
      return answer && entityIn(answer.json);
    },
    list: (name, signal) =>
      listAll(client, { kind: 'vm', filter: name === undefined ? '' : `vm_name==${name}` }, signal),
    async create(body, signal) {
      const what = `create VM ${body.spec.name}`;
      const call = { what, method: 'POST', path: '/vms', body, signal, isCreate: true } as const;
      return entityIn((await client.send(call)).json);
    },
    async remove(uuid, signal) {
      const path = pathOf(uuid);
      const call = { what: `delete VM ${uuid}`, method: 'DELETE', path, signal } as const;
      const answer = await orAbsent(client.send(call));
      if (!answer) return undefined;
      const { task_uuid: task } = Object(Object(Object(answer.json).status).execution_context);
      if (typeof task !== 'string') throw strange();
      return task;
    },
    async task(uuid, signal) {
      const path = `/tasks/${encodeURIComponent(uuid)}`;
      const call = { what: `read task ${uuid}`, method: 'GET', path, signal } as const;
      const answer = await orAbsent(client.send(call));
      const task: Task | undefined = answer && Object(answer.json);
      if (task && task.status === undefined) throw strange();
      return task;
    },
    async named(kind, name, signal) {
      const found = await listAll(client, { kind, filter: `name==${name}` }, signal);
      return found.filter(({ status }) => status?.name === name);
    },
  };
}

interface Listing {
  kind: 'vm' | NamedKind;
  filter: string;
}

/** All pages. */
async function listAll(
  client: RestClient,
  { kind, filter }: Listing,
  signal: AbortSignal,
): Promise<VmAnswer[]> {
  const all: VmAnswer[] = [];
  for (;;) {
    const { json } = await client.send({
      what: `list ${kind}s`,
      method: 'POST',
      path: `/${kind}s/list`,
      body: { kind, length: pageLength, offset: all.length, ...(filter !== '' && { filter }) },
      signal,
    });
    const { entities, metadata }: Record<string, unknown> = Object(json);
    const { total_matches: total }: Record<string, unknown> = Object(metadata);
    if (!Array.isArray(entities) || typeof total !== 'number') throw strange();
    all.push(...entities.map(entityIn));
    if (all.length >= total) return all;
    if (entities.length === 0) throw strange();
  }
}

function entityIn(json: unknown): VmAnswer {
  const entity: VmAnswer = Object(json);
  if (typeof Object(entity.metadata).uuid !== 'string') throw strange();
  return entity;
}

const strange = (): DriverError => unknownAnswer('Nutanix');

function refusalIn({ status, json }: RestAnswer): Refusal | undefined {
  const { state, message_list: list }: Record<string, unknown> = Object(json);
  if (state !== 'ERROR' || !Array.isArray(list)) return undefined;
  const meaning = statusMeanings[status] ?? 'unknown';
  const words = wordsIn(list);
  return {
    meaning: status === 422 ? meaningOfWords(wordsMeanings, words, meaning) : meaning,
    code: list.map((item) => Object(item).reason).find((reason) => typeof reason === 'string'),
    words,
  };
}

export function wordsIn(messages: readonly Message[]): string {
  const texts = messages.map(({ message, reason }) => message ?? reason ?? '');
  return texts.filter((text) => text !== '').join('; ') || 'no reason given';
}
