/** Calls of metal-stack's API with the credentials of a class. */
import type { DriverError } from '../driver.ts';
import { orAbsent } from '../frame/http.ts';
import type { Refusal, RestAnswer, RestCall, RestClient } from '../frame/http.ts';
import { meaningOfWords, unknownAnswer, type RestAccess } from '../frame/rest-driver.ts';
import { credentialsOf, signed, type MetalCredentials } from './credentials.ts';
import { statusMeanings, wordsMeanings } from './errors.ts';

/** `V1MachineAllocateRequest` of metal-stack's client for Go, as far as a class fills it. */
export interface MachineBody {
  name: string;
  hostname: string;
  description: string;
  partitionid: string;
  sizeid: string;
  imageid: string;
  projectid: string;
  networks: { networkid: string; autoacquire: boolean }[];
  tags: string[];
  placement_tags: string[];
  ssh_pub_keys: string[];
  user_data: string;
  dns_servers?: { ip: string }[];
  ntp_servers?: { address: string }[];
}

/** `V1MachineFindRequest`. Each field narrows the search. */
export interface Search {
  allocation_name?: string;
  allocation_project: string;
  allocation_role: 'machine';
  tags?: string[];
}

/** `V1MachineResponse`, as far as it is read. */
export interface MachineAnswer {
  id: string;
  partition?: { id: string };
  /** Absent while the machine is free. */
  allocation?: {
    /** Another each time that the machine is allocated. */
    allocationuuid: string;
    name: string;
    hostname: string;
    project: string;
    role: string;
    created: string;
    description?: string;
    networks?: { ips?: string[]; private?: boolean }[];
  };
  state?: { value?: string; description?: string };
  tags?: string[];
}

export interface MetalApi {
  /** Undefined when there is no such machine. */
  get: (id: string, signal: AbortSignal) => Promise<MachineAnswer | undefined>;
  find: (search: Search, signal: AbortSignal) => Promise<MachineAnswer[]>;
  allocate: (allocation: MachineBody, signal: AbortSignal) => Promise<MachineAnswer>;
  /** False when there is no such machine. */
  free: (id: string, signal: AbortSignal) => Promise<boolean>;
  /** Sets tags in place of all but the API's own. */
  setTags: (machine: MachineAnswer, tags: string[], signal: AbortSignal) => Promise<void>;
}

export const access: RestAccess<MetalCredentials, MetalApi> = {
  title: 'metal-stack',
  credentialsOf,
  refusalIn,
  apiOf,
};

function apiOf(client: RestClient, credentials: MetalCredentials): MetalApi {
  // A signature is of one method.
  const send = (call: RestCall): Promise<RestAnswer> =>
    client.send({ ...call, headers: signed(credentials, call.method) });
  return {
    async get(id, signal) {
      const path = `/v1/machine/${encodeURIComponent(id)}`;
      const what = `look at machine ${id}`;
      const answer = await orAbsent(send({ what, method: 'GET', path, signal }));
      return answer && machineIn(answer.json);
    },
    async find(body, signal) {
      const path = '/v1/machine/find';
      const { json } = await send({ what: 'find machines', method: 'POST', path, body, signal });
      if (!Array.isArray(json)) throw strange();
      return json.map(machineIn);
    },
    async allocate(body, signal) {
      const what = `allocate machine ${body.name}`;
      const path = '/v1/machine/allocate';
      const call = { what, method: 'POST', path, body, signal, isCreate: true } as const;
      return machineIn((await send(call)).json);
    },
    async free(id, signal) {
      const path = `/v1/machine/${encodeURIComponent(id)}/free`;
      const call = { what: `free machine ${id}`, method: 'DELETE', path, signal } as const;
      return (await orAbsent(send(call))) !== undefined;
    },
    async setTags({ id, allocation }, tags, signal) {
      const body = { id, description: allocation?.description ?? '', tags };
      await send({ what: `tag machine ${id}`, method: 'POST', path: '/v1/machine', body, signal });
    },
  };
}

function machineIn(json: unknown): MachineAnswer {
  const machine: MachineAnswer = Object(json);
  if (typeof machine.id !== 'string' || machine.id === '') throw strange();
  return machine;
}

const strange = (): DriverError => unknownAnswer('metal-stack');

/** `HTTPErrorResponse`. */
function refusalIn({ status, json }: RestAnswer): Refusal | undefined {
  const { message, statuscode }: Record<string, unknown> = Object(json);
  if (typeof message !== 'string' || statuscode !== status) return undefined;
  const byStatus = statusMeanings[status] ?? 'unknown';
  const isVague = status === 422;
  const meaning = isVague ? meaningOfWords(wordsMeanings, message, byStatus) : byStatus;
  return { meaning, words: message };
}
