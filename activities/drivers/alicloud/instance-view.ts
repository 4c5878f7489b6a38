/** Instances of ECS as the frame and the core see them. */
import type { DescribeInstancesResponseBodyInstancesInstance as EcsInstance } from '@alicloud/ecs20140526/dist/models/DescribeInstancesResponseBody.js';
import { nowMs } from '../../system/system.ts';
import type { Instance } from '../driver.ts';
import type { Death, Resource, State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { isRegion } from './regions.ts';

export interface AliInstance extends Resource {
  region: string;
  id: string;
  status: string;
  isSpot: boolean;
  isProtected: boolean;
  /** Why the cloud holds it, such as `Recycling` or `financial`. */
  locks: string[];
  addresses: { type: string; address: string }[];
}

export function viewOf(region: string, one: EcsInstance): AliInstance {
  const { instanceId: id = '', instanceName: name = '', spotStrategy = 'NoSpot' } = one;
  const createdAt = Date.parse(one.creationTime ?? '');
  const locks = one.operationLocks?.lockReason ?? [];
  return {
    ref: providerIDOf({ region, id }),
    name,
    place: { region },
    tags: Object.fromEntries(
      (one.tags?.tag ?? []).map(({ tagKey = '', tagValue = '' }) => [tagKey, tagValue]),
    ),
    createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
    region,
    id,
    status: one.status ?? '',
    isSpot: spotStrategy !== 'NoSpot',
    isProtected: one.deletionProtection ?? false,
    locks: locks.flatMap(({ lockReason }) => (lockReason ? [lockReason] : [])),
    addresses: addressesOf(one),
  };
}

function addressesOf(one: EcsInstance): AliInstance['addresses'] {
  const cards = one.networkInterfaces?.networkInterface ?? [];
  const internal = [
    ...(one.vpcAttributes?.privateIpAddress?.ipAddress ?? []),
    ...cards.flatMap((card) =>
      (card.ipv6Sets?.ipv6Set ?? []).flatMap(({ ipv6Address }) => ipv6Address ?? []),
    ),
  ];
  const external = [...(one.publicIpAddress?.ipAddress ?? []), one.eipAddress?.ipAddress ?? ''];
  return [
    ...internal.map((address) => ({ type: 'InternalIP', address })),
    ...external
      .filter((address) => address !== '')
      .map((address) => ({ type: 'ExternalIP', address })),
  ];
}

const states: Readonly<Record<string, State['is']>> = {
  Pending: 'coming',
  Starting: 'coming',
  Running: 'ready',
  Stopping: 'going',
  Stopped: 'failed',
};

/** Between its creation and its start an instance may be `Stopped` for a moment. */
const startMilliseconds = 120_000;

export function stateOf({ status, locks, createdAt = 0 }: AliInstance): State {
  const words = [status, ...locks].join(', ');
  const isYoung = nowMs() - createdAt < startMilliseconds;
  if (status === 'Stopped' && isYoung && locks.length === 0) return { is: 'coming', words };
  return { is: states[status] ?? 'coming', words };
}

export function deathOf(thing: AliInstance): Death {
  const start = `instance ${thing.name} (${thing.id}) is ${stateOf(thing).words} before it was of use`;
  if (!thing.isSpot) return { meaning: 'conflict', message: `${start}; something has stopped it` };
  const why = 'Alibaba Cloud takes spot instances back where it needs the capacity';
  return { meaning: 'capacity', message: `${start}; ${why}` };
}

export function protectionOf({ isProtected, name, id, region }: AliInstance): string | undefined {
  return isProtected
    ? `instance ${name} (${id}) is protected against deletion: switch DeletionProtection off on it in ${region}`
    : undefined;
}

export function instanceOf({ ref, id, addresses }: AliInstance): Instance {
  return { providerID: ref, nodeName: nodeNameOf(id), addresses, isInitialized: true };
}

/** As Gardener's driver and its images call the Node: `i-abc` is `izabcz`. */
const nodeNameOf = (id: string): string => `${id.replace('-', 'z')}z`;

export interface InstancePlace {
  region: string;
  id: string;
}

/** As Gardener's driver writes it: without a scheme. */
export const providerIDOf = ({ region, id }: InstancePlace): string => `${region}.${id}`;

export function placeIn(providerID: string): InstancePlace {
  const [, region, id] = /^([a-z0-9-]+)\.(i-[a-z0-9]+)$/.exec(providerID) ?? [];
  if (isRegion(region) && id !== undefined) return { region, id };
  throw fault('input', `spec.providerID: "${providerID}" is not of the form REGION.INSTANCEID`);
}
