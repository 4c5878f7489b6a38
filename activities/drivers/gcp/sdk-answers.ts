/** What the SDK answers with, cut down to what the driver reads. */
import type { protos } from '@google-cloud/compute';
import { ComputeError } from './error-mapping.ts';
import type { ComputeInstance, ComputeOperation, InstancePage } from './compute.ts';
import { isSpotBy } from './instance-view.ts';

type SdkInstance = protos.google.cloud.compute.v1.IInstance;
type SdkOperation = protos.google.cloud.compute.v1.IOperation;
type AnsweredPage = protos.google.cloud.compute.v1.IInstanceList;

/** The fields of an instance that are read. */
export const instanceFields = [
  'id',
  'name',
  'status',
  'statusMessage',
  'labels',
  'labelFingerprint',
  'tags/items',
  'deletionProtection',
  'creationTimestamp',
  'scheduling(preemptible,provisioningModel)',
  'networkInterfaces(networkIP,ipv6Address,accessConfigs/natIP,ipv6AccessConfigs/externalIpv6)',
].join(',');

export const pageFields = `kind,items(${instanceFields}),nextPageToken,warning(code,message)`;

export function instanceOf(
  instance: SdkInstance,
  place: { project: string; zone: string },
): ComputeInstance {
  const { id, name, status, labels, tags } = instance;
  if (!id || !name || !status) throw notOfGoogle('an instance without id, name or status');
  return {
    id: String(id),
    place: { project: place.project, zone: place.zone, name },
    status,
    labels: labels ?? {},
    tags: tags?.items ?? [],
    isProtected: instance.deletionProtection === true,
    isSpot: isSpotBy(instance.scheduling ?? {}),
    addresses: addressesOf(instance),
    ...optionalFactsOf(instance),
  };
}

function optionalFactsOf({
  statusMessage,
  labelFingerprint,
  creationTimestamp,
}: SdkInstance): Partial<ComputeInstance> {
  const createdAt = timeOf(creationTimestamp);
  return {
    ...(statusMessage && { statusMessage }),
    ...(labelFingerprint && { labelFingerprint }),
    ...(createdAt !== undefined && { createdAt }),
  };
}

/** Milliseconds. */
function timeOf(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isFinite(time) ? time : undefined;
}

/**
 * Something in between answers 200 to everything: what it says is neither an instance nor the lack
 * of one.
 */
function notOfGoogle(what: string): ComputeError {
  const message = `Google Compute Engine: the answer is not Google's: ${what}`;
  return new ComputeError({ meaning: 'unknown', message, settled: false });
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
  const operation: SdkOperation = Object(answer);
  const { name, status, progress, httpErrorStatusCode } = operation;
  if (!name || !status) throw notOfGoogle('an operation without name or status');
  const begunAt = timeOf(operation.insertTime);
  const endedAt = timeOf(operation.endTime);
  return {
    name,
    status: String(status),
    isDone: status === 'DONE',
    errors: errorsOf(operation),
    ...(httpErrorStatusCode && { errorStatus: httpErrorStatusCode }),
    ...(typeof progress === 'number' && { progress }),
    ...(begunAt !== undefined && { begunAt }),
    ...(endedAt !== undefined && { endedAt }),
  };
}

function errorsOf(operation: SdkOperation): ComputeOperation['errors'] {
  const { error, httpErrorMessage, httpErrorStatusCode } = operation;
  const errors = (error?.errors ?? []).map(({ code, message }) => ({
    code: String(code),
    message: String(message),
  }));
  if (errors.length > 0 || !httpErrorStatusCode) return errors;
  return [{ code: String(httpErrorStatusCode), message: httpErrorMessage ?? '' }];
}

/**
 * A listing that Google could not complete counts as failed: the core would take missing instances
 * for deleted.
 */
export function pageOf(page: AnsweredPage, place: { project: string; zone: string }): InstancePage {
  const { kind, items, nextPageToken, warning } = page;
  if (kind !== 'compute#instanceList') throw notOfGoogle('a list of another kind');
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
