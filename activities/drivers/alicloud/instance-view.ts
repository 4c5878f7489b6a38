/** Instances of ECS as the frame and the core see them. */
import type { DescribeInstancesResponseBodyInstancesInstance as EcsInstance } from '@alicloud/ecs20140526/dist/models/DescribeInstancesResponseBody.js';
import { nowMs } from '../../system/system.ts';
import type { Instance } from '../driver.ts';
import type { Resource, State } from '../frame/cloud.ts';
import { fault } from '../frame/fault.ts';
import { isRegion } from './client.ts';

export interface AlicloudInstance extends Resource {
  region: string;
  id: string;
  ecs: EcsInstance;
}

export function viewOf(region: string, ecs: EcsInstance): AlicloudInstance {
  const { instanceId: id = '', instanceName: name = '', creationTime = '' } = ecs;
  const tags: Record<string, string> = {};
  for (const { tagKey = '', tagValue = '' } of ecs.tags?.tag ?? []) tags[tagKey] = tagValue;
  const createdAt = Date.parse(creationTime) || undefined;
  return { ref: refOf(region, id), name, place: { region }, tags, createdAt, region, id, ecs };
}

/** As Gardener's driver writes a providerID: without a scheme. */
export const refOf = (region: string, id: string): string => `${region}.${id}`;

export function placeIn(providerID: string): { region: string; id: string } {
  const [, region, id] = /^([a-z0-9-]+)\.(i-[a-z0-9]+)$/.exec(providerID) ?? [];
  if (isRegion(region) && id !== undefined) return { region, id };
  throw fault('input', `spec.providerID: "${providerID}" is not of the form REGION.INSTANCEID`);
}

/** The Node is called as Gardener's driver and its images call it: `i-abc` is `izabcz`. */
export function instanceOf({ ref, id, ecs }: AlicloudInstance): Instance {
  const internal = ecs.vpcAttributes?.privateIpAddress?.ipAddress ?? [];
  const external = [...(ecs.publicIpAddress?.ipAddress ?? []), ecs.eipAddress?.ipAddress ?? ''];
  const addresses = [
    ...internal.map((address) => ({ type: 'InternalIP', address })),
    ...external.filter(Boolean).map((address) => ({ type: 'ExternalIP', address })),
  ];
  return { providerID: ref, nodeName: `${id.replace('-', 'z')}z`, addresses, isInitialized: true };
}

/** Between its creation and its start an instance may be `Stopped` for a moment. */
const startMilliseconds = 120_000;

export function stateOf({ ecs, createdAt = 0 }: AlicloudInstance): State {
  const { status = '', operationLocks } = ecs;
  // Why the cloud holds it: `Recycling`, `financial`.
  const locks = (operationLocks?.lockReason ?? []).flatMap(({ lockReason }) => lockReason ?? []);
  const words = [status, ...locks].join(', ');
  if (status === 'Running') return { is: 'ready', words };
  if (status === 'Stopping') return { is: 'going', words };
  const isStarting = nowMs() - createdAt < startMilliseconds && locks.length === 0;
  return { is: status === 'Stopped' && !isStarting ? 'failed' : 'coming', words };
}
