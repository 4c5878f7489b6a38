/** What the SDK answers with, cut down to what the driver reads. */
import type { protos } from '@google-cloud/compute';
import { ComputeError } from './compute-error.ts';
import type { ComputeInstance, ComputeOperation, InstancePage } from './compute.ts';

type SdkInstance = protos.google.cloud.compute.v1.IInstance;
type SdkOperation = protos.google.cloud.compute.v1.IOperation;
type Page = protos.google.cloud.compute.v1.IInstanceList;

/** Of an instance, this much is read. */
export const instanceFields = [
  'id',
  'name',
  'status',
  'labels',
  'tags/items',
  'deletionProtection',
  'creationTimestamp',
  'networkInterfaces(networkIP,ipv6Address,accessConfigs/natIP,ipv6AccessConfigs/externalIpv6)',
].join(',');

export const pageFields = `items(${instanceFields}),nextPageToken,warning(code,message)`;

export function instanceOf(
  instance: SdkInstance,
  place: { project: string; zone: string },
): ComputeInstance {
  const { id, name, status, labels, tags, creationTimestamp } = instance;
  const createdAt = Date.parse(creationTimestamp ?? '');
  return {
    id: String(id),
    place: { project: place.project, zone: place.zone, name: String(name) },
    status: String(status),
    labels: labels ?? {},
    tags: tags?.items ?? [],
    isProtected: instance.deletionProtection ?? false,
    addresses: addressesOf(instance),
    ...(Number.isFinite(createdAt) && { createdAt }),
  };
}

function addressesOf({ name, networkInterfaces }: SdkInstance): ComputeInstance['addresses'] {
  const cards = networkInterfaces ?? [];
  const internal = cards.flatMap(({ networkIP, ipv6Address }) => [networkIP, ipv6Address]);
  const external = cards.flatMap(({ accessConfigs, ipv6AccessConfigs }) => [
    ...(accessConfigs ?? []).map(({ natIP }) => natIP),
    ...(ipv6AccessConfigs ?? []).map(({ externalIpv6 }) => externalIpv6),
  ]);
  return [
    ...internal.flatMap((address) => (address ? [{ type: 'InternalIP', address }] : [])),
    ...external.flatMap((address) => (address ? [{ type: 'ExternalIP', address }] : [])),
    { type: 'Hostname', address: String(name) },
  ];
}

export function operationOf(answer: unknown): ComputeOperation {
  const { name, status, error, httpErrorMessage, httpErrorStatusCode }: SdkOperation =
    Object(answer);
  const errors = (error?.errors ?? []).map(({ code, message }) => ({
    code: String(code),
    message: String(message),
  }));
  if (errors.length === 0 && httpErrorStatusCode) {
    const message = httpErrorMessage ?? '';
    errors.push({ code: String(httpErrorStatusCode), message });
  }
  return { name: String(name), isDone: status === 'DONE', errors };
}

/** A listing that Google could not complete is none: whoever relies on it would take what is missing for deleted. */
export function pageOf(page: Page, place: { project: string; zone: string }): InstancePage {
  const { items, nextPageToken, warning } = page;
  const isPartial = warning?.code === 'UNREACHABLE' || warning?.code === 'PARTIAL_SUCCESS';
  if (isPartial) {
    const message = `Google Compute Engine: list instances of ${place.project}/${place.zone}: incomplete: ${warning.message}`;
    throw new ComputeError({ meaning: 'unavailable', message, settled: false });
  }
  return {
    instances: (items ?? []).map((instance) => instanceOf(instance, place)),
    ...(nextPageToken && { nextPageToken }),
  };
}
