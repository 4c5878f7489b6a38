/** Compute Engine by Google's SDK, with the credentials of one class. */
import type { Compute, ComputeOperation } from './compute.ts';
import { instanceFields, instanceOf, operationOf, pageFields, pageOf } from './sdk-answers.ts';
import { orAbsent, send as sendAs } from './sdk-call.ts';
import type { SdkCall, SdkOptions } from './sdk-call.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { TokenSource } from './token-source.ts';
import { noteCloudRequest } from '../../system/cloud-requests.ts';

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
