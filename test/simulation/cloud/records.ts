/** What the simulated cloud keeps of its instances, for ever. */
import type {
  CloudInstance,
  CloudInstanceRequest,
} from '../../../activities/drivers/virtual/client.ts';

export interface InstanceRecord extends CloudInstanceRequest {
  readonly id: string;
  readonly providerID: string;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** From then on lists have it. */
  readonly listedFrom: number;
  /** Name of the process whose call made it; `cloud` for one that was there by itself. */
  readonly createdBy: string;
  isInitialized: boolean;
  isRunning: boolean;
  deletedAt?: number;
  /** Name of the process whose call deleted it; `cloud` for one that vanished. */
  deletedBy?: string;
}

export interface NewInstance {
  request: CloudInstanceRequest;
  id: string;
  /** How many there were before; its address comes from it. */
  ordinal: number;
  now: number;
  listedFrom: number;
  createdBy: string;
}

export function newRecord(made: NewInstance): InstanceRecord {
  const { request, id, ordinal, now, listedFrom, createdBy } = made;
  return {
    ...request,
    id,
    providerID: `local:///${request.zone}/${id}`,
    address: `10.${128 + ((ordinal >> 16) % 128)}.${(ordinal >> 8) & 255}.${ordinal & 255}`,
    createdAt: now,
    listedFrom,
    createdBy,
    isInitialized: !request.needsInitialization,
    isRunning: false,
  };
}

/** As callers see it. */
export function shown(record: InstanceRecord): CloudInstance {
  const { id, providerID, name, token, tags, address, isInitialized } = record;
  const running = record.isRunning ? 'running' : 'booting';
  return {
    id,
    providerID,
    name,
    token,
    tags,
    address,
    isInitialized,
    createdAt: new Date(record.createdAt).toISOString(),
    state: record.deletedAt === undefined ? running : 'deleted',
  };
}

/** Do two requests ask for the same? The order of fields does not matter. */
export function digestOf(request: CloudInstanceRequest): string {
  const { name, zone, size, spec, tags, userDataDigest } = request;
  const { labels, annotations, taints, needsInitialization } = request;
  const asked = { name, zone, size, spec, tags, userDataDigest };
  return JSON.stringify({ ...asked, labels, annotations, taints, needsInitialization }, sorted);
}

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
