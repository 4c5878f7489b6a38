/** A virtual machine, as it is asked for and as it is kept. */
import { createHash, randomBytes } from 'node:crypto';
import { BadRequest, Fields } from './fields.ts';
import type { Settings } from './settings.ts';
import { sizeNames, type Size } from './sizes.ts';

export interface NodeTaint {
  key: string;
  value?: string;
  effect: string;
}

/** Body of `POST /instances`, with its defaults. */
export interface InstanceRequest {
  name: string;
  token: string;
  zone: string;
  size: Size;
  /** Opaque; kept and handed back. */
  spec: unknown;
  tags: Record<string, string>;
  userDataDigest: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  taints: NodeTaint[];
  needsInitialization: boolean;
}

export interface NodeConditionFault {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** Effects of faults on a virtual machine, decided at its creation. Seconds count from then. */
export interface Fate {
  neverJoins?: true;
  joinsNotReady?: true;
  /** To its console, beside the lines of its boot. */
  prints?: string;
  sickens?: { afterSeconds: number; condition: NodeConditionFault };
  vanishes?: { afterSeconds: number };
}

export interface Instance extends InstanceRequest {
  id: string;
  /** It joins by the user data on its disk (machine/join.ts). Absent: the cloud registers it. */
  hasUserData?: true;
  providerID: string;
  address: string;
  /** Milliseconds, as all times here. */
  createdAt: number;
  bootAt: number;
  fate: Fate;
  isInitialized: boolean;
  /** Why it could not join when it tried last. */
  joinRefusal?: string;
  /** UID of the Node that it registered. */
  nodeUid?: string;
  hasSickened?: true;
  deletedAt?: number;
  /** Deleted, and its Node needs nothing any more. */
  isNodeStopped?: true;
}

const requestFields = [
  'name',
  'token',
  'zone',
  'size',
  'spec',
  'tags',
  'userDataDigest',
  'labels',
  'annotations',
  'taints',
  'needsInitialization',
] as const satisfies (keyof InstanceRequest)[];
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export function parseInstanceRequest(body: unknown): InstanceRequest {
  const fields = new Fields(body).allow(...requestFields, 'userData');
  const userData = userDataIn(body);
  return {
    name: fields.requiredText('name'),
    token: fields.requiredText('token'),
    zone: fields.text('zone') ?? 'a',
    size: fields.oneOf('size', sizeNames) ?? 'small',
    spec: fields.value('spec') ?? {},
    tags: fields.texts('tags'),
    userDataDigest:
      userData === undefined ? (fields.text('userDataDigest') ?? '') : sha256(userData),
    labels: fields.texts('labels'),
    annotations: fields.texts('annotations'),
    taints: fields.list('taints').map(parseTaint),
    needsInitialization: fields.flag('needsInitialization') ?? false,
  };
}

/** Base64. Undefined: the request has none. No message repeats it. */
export function userDataIn(body: unknown): string | undefined {
  const { userData } = Object(body);
  if (userData === undefined || userData === null) return undefined;
  if (typeof userData === 'string' && /^[\w+/]+={0,2}$/.test(userData)) return userData;
  throw new BadRequest('userData: it is not base64');
}

const sha256 = (base64: string): string =>
  createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');

export function parseTaint(fields: Fields): NodeTaint {
  fields.allow('key', 'value', 'effect', 'timeAdded');
  const value = fields.text('value');
  return {
    key: fields.requiredText('key'),
    ...(value !== undefined && { value }),
    effect: fields.oneOf('effect', taintEffects) ?? 'NoSchedule',
  };
}

export interface Birth {
  settings: Settings;
  fate: Fate;
  /** How many there were before; addresses come from it. */
  ordinal: number;
  now: number;
  hasUserData?: boolean;
}

export function newInstance(request: InstanceRequest, birth: Birth): Instance {
  const { settings, fate, ordinal, now, hasUserData } = birth;
  const id = `i-${randomBytes(8).toString('hex')}`;
  return {
    ...request,
    id,
    providerID: `local:///${request.zone}/${id}`,
    address: addressOf(ordinal),
    createdAt: now,
    bootAt: now + settings.bootSeconds * 1_000,
    fate,
    ...(hasUserData && { hasUserData }),
    isInitialized: !request.needsInitialization,
  };
}

/** 10.128.0.1 and on; after 8 million they come round. */
function addressOf(ordinal: number): string {
  const host = (ordinal + 1) % 2 ** 23;
  return `10.${128 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

/** Do two requests ask for the same? The order of fields does not matter. */
export function requestDigest(request: InstanceRequest): string {
  const asked = Object.fromEntries(requestFields.map((name) => [name, request[name]]));
  return createHash('sha256').update(JSON.stringify(asked, sortKeys)).digest('hex');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export function stateOf({ deletedAt, nodeUid }: Instance): 'booting' | 'running' | 'deleted' {
  if (deletedAt !== undefined) return 'deleted';
  return nodeUid === undefined ? 'booting' : 'running';
}

/** The instance as callers see it. */
export function describe(instance: Instance): object {
  const { createdAt, bootAt, deletedAt, ...rest } = instance;
  return {
    ...rest,
    state: stateOf(instance),
    createdAt: new Date(createdAt).toISOString(),
    bootAt: new Date(bootAt).toISOString(),
    ...(deletedAt !== undefined && { deletedAt: new Date(deletedAt).toISOString() }),
  };
}
