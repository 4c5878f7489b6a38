/** Compute Engine by Google's SDK, with the credentials of one class. */
import { isSpotBy } from './compute.ts';
import type { Compute, ComputeOperation, ComputeInstance, InstancePage } from './compute.ts';
import { send as sendAs, type SdkCall, type SdkOptions } from './sdk-call.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { TokenSource } from './token-source.ts';
import { noteCloudRequest } from '../../system/cloud-requests.ts';
import type { protos } from '@google-cloud/compute';
import { ComputeError } from './error-mapping.ts';

export interface SdkComputeOptions {
  clients: SdkClients;
  tokens: TokenSource;
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

/** Google keeps a megabyte; a negative start counts from the end. */
const serialBytes = 65_536;
const serialFields = 'contents';

/** Google's most. */
const pageSize = 500;

type Send = <T>(call: SdkCall, request: (sdk: SdkOptions) => Promise<T>) => Promise<T>;

interface Sdk extends SdkClients {
  send: Send;
  /** The limit of one call. */
  limitSeconds: number;
}

export function createSdkCompute(options: SdkComputeOptions): Compute {
  const { clients, tokens, callTimeoutSeconds: limitSeconds } = options;
  const send: Send = async (call, request) =>
    await clients.transport.withTokens(tokens, () => sendAs(call, request));
  const sdk = { ...clients, send, limitSeconds };
  return { ...readsOf(sdk), ...writesOf(sdk) };
}

function readsOf({
  instances,
  operations,
  send,
  limitSeconds,
}: Sdk): Pick<Compute, 'get' | 'serialOutput' | 'list' | 'operation'> {
  return {
    async serialOutput(place, signal) {
      const { project, zone, name } = place;
      const what = `get the serial output of instance ${name}`;
      const call = { what, signal, limitSeconds, resource: `instances/${name}` };
      const request = { project, zone, instance: name, port: 1, start: -serialBytes };
      return await orAbsent(
        send(call, async (sdk) => {
          const [output] = await instances.getSerialPortOutput(
            request,
            withFields(sdk, serialFields),
          );
          return output.contents ?? '';
        }),
      );
    },
    async get(place, signal) {
      const request = { project: place.project, zone: place.zone, instance: place.name };
      const resource = `instances/${place.name}`;
      const call = { what: `get instance ${place.name}`, signal, limitSeconds, resource };
      return await orAbsent(
        send(call, async (sdk) => {
          const [instance] = await instances.get(request, withFields(sdk, instanceFields));
          return instanceOf(instance, place);
        }),
      );
    },
    async list({ project, zone, pageToken }, signal) {
      const call = { what: `list instances of ${project}/${zone}`, signal, limitSeconds };
      const token = pageToken === undefined ? {} : { pageToken };
      const request = { project, zone, maxResults: pageSize, ...token };
      return await send(call, async (sdk) => {
        const page = await instances.list(request, withFields(sdk, pageFields));
        return pageOf(page[2], { project, zone });
      });
    },
    async operation({ project, zone, operation }, signal) {
      const resource = `operations/${operation}`;
      const call = { what: `get operation ${operation}`, signal, limitSeconds, resource };
      return await orAbsent(
        send(call, async (sdk) => {
          noteCloudRequest(operation, false);
          const [found] = await operations.get({ project, zone, operation }, sdk);
          return operationOf(found);
        }),
      );
    },
  };
}

function writesOf({
  instances,
  send,
  limitSeconds,
}: Sdk): Pick<Compute, 'insert' | 'delete' | 'setLabels'> {
  return {
    async insert({ project, zone, requestId, resource }, signal) {
      const what = `insert instance ${resource.name}`;
      return await send({ what, signal, limitSeconds, isInsert: true }, async (sdk) => {
        const request = { project, zone, requestId, instanceResource: resource };
        const [{ latestResponse }] = await instances.insert(request, sdk);
        return begun(latestResponse);
      });
    },
    async delete({ project, zone, name }, signal) {
      const resource = `instances/${name}`;
      const call = { what: `delete instance ${name}`, signal, limitSeconds, resource };
      return await orAbsent(
        send(call, async (sdk) => {
          const [{ latestResponse }] = await instances.delete(
            { project, zone, instance: name },
            sdk,
          );
          return begun(latestResponse);
        }),
      );
    },
    async setLabels({ place, labels, fingerprint: labelFingerprint }, signal) {
      const { project, zone, name } = place;
      const call = { what: `set labels of instance ${name}`, signal, limitSeconds };
      const resource = { labels, labelFingerprint };
      const request = {
        project,
        zone,
        instance: name,
        instancesSetLabelsRequestResource: resource,
      };
      return await send(call, async (sdk) => {
        const [{ latestResponse }] = await instances.setLabels(request, sdk);
        return begun(latestResponse);
      });
    },
  };
}

/** The name of the operation is what Google's logs know a change by. */
function begun(answer: unknown): ComputeOperation {
  const operation = operationOf(answer);
  noteCloudRequest(operation.name, true);
  return operation;
}

function withFields(options: SdkOptions, fields: string): SdkOptions {
  return {
    ...options,
    autoPaginate: false,
    otherArgs: { headers: { 'x-goog-fieldmask': fields } },
  };
}

type SdkInstance = protos.google.cloud.compute.v1.IInstance;
type SdkOperation = protos.google.cloud.compute.v1.IOperation;
type AnsweredPage = protos.google.cloud.compute.v1.IInstanceList;

/** The fields of an instance that are read. */
const instanceFields = [
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

const pageFields = `kind,items(${instanceFields}),nextPageToken,warning(code,message)`;

function instanceOf(
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

function operationOf(answer: unknown): ComputeOperation {
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
function pageOf(page: AnsweredPage, place: { project: string; zone: string }): InstancePage {
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

/** Undefined when the cloud itself says that just this does not exist. */
async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ComputeError && error.meaning === 'missing') return undefined;
    throw error;
  }
}
