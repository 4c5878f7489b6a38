/** Compute Engine by Google's SDK, over REST. Imported at the first call only: it costs a process 70 MB. */
// The package's entrance would load all of its 200 clients, at three times the price.
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { ZoneOperationsClient } from '@google-cloud/compute/build/src/v1/zone_operations_client.js';
import type { protos } from '@google-cloud/compute';
import { GoogleAuth } from 'google-auth-library';
import type { AuthClient } from 'google-auth-library';
import { ComputeError, errorOfAnswer } from './compute-error.ts';
import type { Compute, ComputeInstance, ComputeOperation, InstancePage } from './compute.ts';
import { AnswerFailure, TokenFailure, Transport } from './sdk-transport.ts';
import { errorOfToken } from './token-error.ts';

type SdkInstance = protos.google.cloud.compute.v1.IInstance;
type SdkOperation = protos.google.cloud.compute.v1.IOperation;

export interface SdkComputeOptions {
  credentials: () => Promise<AuthClient>;
  /** Default: Google's. */
  endpoint?: URL | undefined;
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

interface Call {
  /** In words, for errors. */
  what: string;
  signal: AbortSignal;
  limitSeconds: number;
  isInsert?: boolean;
}

/** Those of the SDK's options for a call that are used here. */
interface SdkOptions {
  signal: AbortSignal;
  /** Milliseconds. */
  timeout: number;
  retry: { retryCodes: number[] };
  autoPaginate?: boolean;
  otherArgs?: { headers: Record<string, string> };
}

/** Of an instance, this much is read. */
const instanceFields = [
  'id',
  'name',
  'status',
  'labels',
  'tags/items',
  'deletionProtection',
  'creationTimestamp',
  'networkInterfaces(networkIP,ipv6Address,accessConfigs/natIP,ipv6AccessConfigs/externalIpv6)',
].join(',');

/** Google's most. */
const pageSize = 500;

export function createSdkCompute(options: SdkComputeOptions): Compute {
  const clientOptions = { ...endpointOptions(options.endpoint), fallback: true as const };
  const auth = new GoogleAuth({ authClient: new Transport(options.credentials) });
  const instances = new InstancesClient({ ...clientOptions, auth });
  const operations = new ZoneOperationsClient({ ...clientOptions, auth });
  const limitSeconds = options.callTimeoutSeconds;
  return {
    async get(place, signal) {
      const request = { project: place.project, zone: place.zone, instance: place.name };
      const call = { what: `get instance ${place.name}`, signal, limitSeconds };
      return await orUndefined(
        send(call, async (sdk) => {
          const [instance] = await instances.get(request, withFields(sdk, instanceFields));
          return instanceOf(instance, place);
        }),
      );
    },
    async insert({ project, zone, requestId, resource }, signal) {
      const what = `insert instance ${resource.name}`;
      return await send({ what, signal, limitSeconds, isInsert: true }, async (sdk) => {
        const request = { project, zone, requestId, instanceResource: resource };
        const [{ latestResponse }] = await instances.insert(request, sdk);
        return operationOf(latestResponse);
      });
    },
    async delete({ project, zone, name }, signal) {
      const call = { what: `delete instance ${name}`, signal, limitSeconds };
      return await orUndefined(
        send(call, async (sdk) => {
          const [{ latestResponse }] = await instances.delete(
            { project, zone, instance: name },
            sdk,
          );
          return operationOf(latestResponse);
        }),
      );
    },
    async list({ project, zone, pageToken }, signal) {
      const call = { what: `list instances of ${project}/${zone}`, signal, limitSeconds };
      const token = pageToken === undefined ? {} : { pageToken };
      const request = { project, zone, maxResults: pageSize, ...token };
      return await send(call, async (sdk) => {
        const fields = `items(${instanceFields}),nextPageToken,warning(code,message)`;
        const page = await instances.list(request, withFields(sdk, fields));
        return pageOf(page[2], { project, zone });
      });
    },
    async wait({ project, zone, operation, limitSeconds: limit }, signal) {
      const call = { what: `wait for operation ${operation}`, signal, limitSeconds: limit };
      return await send(call, async (sdk) => {
        const [done] = await operations.wait({ project, zone, operation }, sdk);
        return operationOf(done);
      });
    },
  };
}

function endpointOptions(endpoint: URL | undefined): object {
  if (!endpoint) return {};
  const { hostname, port, protocol } = endpoint;
  const scheme = protocol.replace(':', '');
  const usual = scheme === 'http' ? 80 : 443;
  return {
    apiEndpoint: hostname,
    port: port === '' ? usual : Number(port),
    protocol: scheme,
  };
}

function withFields(options: SdkOptions, fields: string): SdkOptions {
  return {
    ...options,
    autoPaginate: false,
    otherArgs: { headers: { 'x-goog-fieldmask': fields } },
  };
}

async function send<T>(call: Call, request: (options: SdkOptions) => Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(Math.ceil(call.limitSeconds * 1_000));
  const signal = AbortSignal.any([call.signal, timeout]);
  try {
    // Without codes the SDK does not send a call again; by its own configuration it would.
    const retry = { retryCodes: [] };
    // Its own time limit is only there in case that the signal is not heard.
    return await request({ signal, retry, timeout: Math.ceil(call.limitSeconds + 5) * 1_000 });
  } catch (error) {
    throw errorOfCall(call, error, timeout);
  }
}

function errorOfCall(call: Call, error: unknown, timeout: AbortSignal): ComputeError {
  const { what, signal, isInsert = false } = call;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof ComputeError) return cause;
  if (cause instanceof AnswerFailure) return errorOfAnswer(what, cause.answer, isInsert);
  const start = `Google Compute Engine: ${what}`;
  if (signal.aborted) {
    return new ComputeError({
      meaning: 'cancelled',
      message: `${start}: cancelled`,
      settled: false,
    });
  }
  if (timeout.aborted) {
    const message = `${start}: no answer within ${call.limitSeconds} s`;
    return new ComputeError({ meaning: 'unanswered', message, settled: false, cause });
  }
  if (cause instanceof TokenFailure) return errorOfToken(what, cause.cause, isInsert);
  const words = cause instanceof Error ? cause.message || cause.name : String(cause);
  const message = `${start}: ${words}`;
  return new ComputeError({ meaning: 'unavailable', message, settled: false, cause });
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ComputeError && error.meaning === 'missing') return undefined;
    throw error;
  }
}

function instanceOf(
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

function operationOf(answer: unknown): ComputeOperation {
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

type Page = protos.google.cloud.compute.v1.IInstanceList;

/** A listing that Google could not complete is none: whoever relies on it would take what is missing for deleted. */
function pageOf(page: Page, place: { project: string; zone: string }): InstancePage {
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
