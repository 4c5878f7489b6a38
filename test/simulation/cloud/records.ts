/** What the simulated cloud keeps of its instances, for ever. */
import type { InstanceRequest } from '../../../deploy/local/virtual-cloud/instance.ts';

export interface InstanceRecord extends InstanceRequest {
  readonly id: string;
  readonly providerID: string;
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** From then on lists have it. */
  readonly listedFrom: number;
  /** Name of the process whose call made it; `cloud` for one that was there by itself. */
  readonly createdBy: string;
  /** How many creates with its token arrived. */
  creates: number;
  /** How many deletes of it arrived, with those that came too late. */
  deletes: number;
  isInitialized: boolean;
  /** Of the Node that its kubelet registered. */
  nodeUid?: string;
  deletedAt?: number;
  /** Name of the process whose call deleted it; `cloud` for one that vanished. */
  deletedBy?: string;
}

export interface NewInstance {
  request: InstanceRequest;
  id: string;
  /** How many there were before; its address comes from it. */
  ordinal: number;
  /** Milliseconds since 1970. */
  now: number;
  listedFrom: number;
  createdBy: string;
}

export function newRecord(made: NewInstance): InstanceRecord {
  const { request, id, ordinal, now, listedFrom, createdBy } = made;
  const host = (ordinal + 1) % 2 ** 23;
  return {
    ...request,
    id,
    providerID: `local:///${request.zone}/${id}`,
    address: `10.${128 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`,
    createdAt: Math.floor(now),
    listedFrom,
    createdBy,
    creates: 1,
    deletes: 0,
    isInitialized: !request.needsInitialization,
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function stateOf({ deletedAt, nodeUid }: InstanceRecord): string {
  if (deletedAt !== undefined) return 'deleted';
  return nodeUid === undefined ? 'booting' : 'running';
}

/** As callers see it: all but what is for the judge. */
export function shown(record: InstanceRecord): object {
  const { createdAt, deletedAt } = record;
  return {
    ...record,
    creates: undefined,
    deletes: undefined,
    createdBy: undefined,
    deletedBy: undefined,
    listedFrom: undefined,
    fate: {},
    state: stateOf(record),
    createdAt: timeOf(createdAt),
    bootAt: timeOf(createdAt),
    deletedAt: deletedAt === undefined ? undefined : timeOf(deletedAt),
  };
}
