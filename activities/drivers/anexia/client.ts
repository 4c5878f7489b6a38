/** Calls of Anexia's Engine with the credentials of a class. */
import type { DriverError } from '../driver.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import type { Refusal, RestAnswer, RestCall, RestClient } from '../frame/http.ts';
import { createTurns, meaningOfWords, unknownAnswer } from '../frame/rest-driver.ts';
import type { RestAccess } from '../frame/rest-driver.ts';
import { credentialsOf, type AnexiaCredentials } from './credentials.ts';
import { statusMeanings, wordsMeanings } from './errors.ts';

/** `vm.Definition` of Anexia's client for Go, as far as a class fills it. */
export interface MachineBody {
  hostname: string;
  memory_mb: number;
  cpus: number;
  disk_gb: number;
  disk_type: string;
  cpu_performance_type: string;
  additional_disks?: { gb: number; type: string }[];
  network: { nic_type: string; vlan: string; ips: string[] }[];
  ssh: string;
  script: string;
  /** And so on, up to `dns4`. */
  dns1?: string;
}

/** A machine, as listings and its own page show it. */
export interface VmAnswer {
  identifier: string;
  /** The customer's prefix, a dash and the host name. */
  name: string;
  status?: string;
  ip_v4_primary?: string;
  ip_v6_primary?: string;
  network?: { ips_v4?: string[]; ips_v6?: string[] }[];
}

export interface Progress {
  progress: number;
  errors: string[];
  /** `1`: done. `2`: under way. `-1`, `3`: failed, cancelled. */
  status: string;
}

export interface Template {
  id: string;
  name: string;
  build: string;
}

interface Reservation {
  location: string;
  vlan: string;
  prefix?: string;
}

interface Order {
  location: string;
  template: string;
  definition: MachineBody;
}

export interface Engine {
  /** Undefined when there is none. */
  get: (id: string, signal: AbortSignal) => Promise<VmAnswer | undefined>;
  /** `pattern`: `%` stands for any text. */
  search: (pattern: string, signal: AbortSignal) => Promise<VmAnswer[]>;
  list: (signal: AbortSignal) => Promise<VmAnswer[]>;
  templates: (location: string, signal: AbortSignal) => Promise<Template[]>;
  reserve: (address: Reservation, signal: AbortSignal) => Promise<string>;
  /** The task that does it. */
  provision: (order: Order, signal: AbortSignal) => Promise<string>;
  /** The task that does it; undefined when there is no such machine. */
  deprovision: (id: string, signal: AbortSignal) => Promise<string | undefined>;
  progress: (task: string, signal: AbortSignal) => Promise<Progress | undefined>;
}

export const access: RestAccess<AnexiaCredentials, Engine> = {
  title: 'Anexia',
  credentialsOf,
  headersOf: ({ token }) => ({ authorization: `Token ${token}` }),
  refusalIn,
  apiOf: engineOf,
};

const vsphere = '/api/vsphere/v1';
const pageLength = 100;
/** So long an address is kept for a machine that is about to be made. */
const reservationSeconds = 1_800;

type Read = (what: string, path: string, signal: AbortSignal) => Promise<RestAnswer>;

function engineOf(client: RestClient): Engine {
  const read: Read = async (what, path, signal) =>
    await client.send({ what, method: 'GET', path, signal });
  return { ...machinesOf(client, read), ...choicesOf(client, read) };
}

function machinesOf(client: RestClient, read: Read): Omit<Engine, keyof Choices> {
  return {
    async get(id, signal) {
      const path = `${vsphere}/info.json/${encodeURIComponent(id)}/info`;
      const answer = await orAbsent(read(`read machine ${id}`, path, signal));
      return answer && vmIn(answer.json);
    },
    async search(name, signal) {
      const path = `${vsphere}/search/by_name.json?${new URLSearchParams({ name }).toString()}`;
      return vmsIn((await read('search machines', path, signal)).json);
    },
    async list(signal) {
      const all: VmAnswer[] = [];
      for (let page = 1; ; page += 1) {
        const path = `${vsphere}/vmlist/list.json?page=${page}&limit=${pageLength}`;
        const vms = vmsIn((await read('list machines', path, signal)).json);
        all.push(...vms);
        if (vms.length < pageLength) return all;
      }
    },
    async provision({ location, template, definition }, signal) {
      const place = [location, 'templates', template].map(encodeURIComponent).join('/');
      return await taskOf(client, {
        what: `provision machine ${definition.hostname}`,
        method: 'POST',
        path: `${vsphere}/provisioning/vm.json/${place}`,
        body: definition,
        signal,
        isCreate: true,
      });
    },
    async deprovision(id, signal) {
      const path = `${vsphere}/provisioning/vm.json/${encodeURIComponent(id)}?delayed=false`;
      const what = `deprovision machine ${id}`;
      return await orAbsent(taskOf(client, { what, method: 'DELETE', path, signal }));
    },
    async progress(task, signal) {
      const path = `${vsphere}/provisioning/progress.json/${encodeURIComponent(task)}`;
      const answer = await orAbsent(read(`read task ${task}`, path, signal));
      if (!answer) return undefined;
      const { progress, errors, status }: Partial<Progress> = Object(answer.json);
      if (typeof progress !== 'number') throw strange();
      return { progress, errors: errors ?? [], status: status ?? '' };
    },
  };
}

type Choices = Pick<Engine, 'templates' | 'reserve'>;

function choicesOf(client: RestClient, read: Read): Choices {
  // Two reservations at once may get one address, says Kubermatic's controller.
  const inTurn = createTurns();
  return {
    async templates(location, signal) {
      const place = encodeURIComponent(location);
      const path = `${vsphere}/provisioning/templates.json/${place}/templates?page=1&limit=1000`;
      const { json } = await read('list templates', path, signal);
      if (!Array.isArray(json)) throw strange();
      return json;
    },
    reserve: ({ location, vlan, prefix }, signal) =>
      inTurn(async () => {
        const { json } = await client.send({
          what: `reserve an address in VLAN ${vlan}`,
          method: 'POST',
          path: '/api/ipam/v1/address/reserve/ip/count.json',
          body: {
            location_identifier: location,
            vlan_identifier: vlan,
            count: 1,
            reservation_period: reservationSeconds,
            ...(prefix !== undefined && { prefix_identifier: prefix }),
          },
          signal,
          isCreate: true,
        });
        const { data }: Record<string, unknown> = Object(json);
        if (!Array.isArray(data)) throw strange();
        const { text }: Record<string, unknown> = Object(data[0]);
        if (typeof text === 'string' && text !== '') return text;
        throw fault('capacity', `Anexia: no address is free in VLAN ${vlan}`, true);
      }),
  };
}

async function taskOf(client: RestClient, call: RestCall): Promise<string> {
  const { json } = await client.send(call);
  const { identifier, errors }: Record<string, unknown> = Object(json);
  const words: unknown[] = Array.isArray(errors) ? errors : [];
  if (words.length > 0) {
    const text = words.join('; ');
    throw fault(meaningOfWords(wordsMeanings, text, 'unknown'), `Anexia: ${call.what}: ${text}`);
  }
  if (typeof identifier !== 'string' || identifier === '') throw strange();
  return identifier;
}

function vmsIn(json: unknown): VmAnswer[] {
  const { data }: Record<string, unknown> = Object(json);
  if (!Array.isArray(data)) throw strange();
  return data.map(vmIn);
}

function vmIn(json: unknown): VmAnswer {
  const vm: VmAnswer = Object(json);
  if (typeof vm.identifier !== 'string' || typeof vm.name !== 'string') throw strange();
  return vm;
}

const strange = (): DriverError => unknownAnswer('Anexia');

/** `ResponseError`. */
function refusalIn({ status, json }: RestAnswer): Refusal | undefined {
  const { error }: Record<string, unknown> = Object(json);
  const { code, message, validation }: Record<string, unknown> = Object(error);
  if (code !== status || typeof message !== 'string') return undefined;
  const fields = Object.entries(Object(validation)).map((entry) => entry.join(': '));
  const meaning = statusMeanings[status] ?? 'unknown';
  return { meaning, words: [message, ...fields].join('; ') };
}
