/** Compute Engine by Google's SDK, with the credentials of one class. */
import type { Compute } from './compute.ts';
import { instanceFields, instanceOf, operationOf, pageFields, pageOf } from './sdk-answers.ts';
import { orUndefined, send as sendAs } from './sdk-call.ts';
import type { Call, SdkOptions } from './sdk-call.ts';
import type { SdkClients } from './sdk-clients.ts';
import type { Credentials } from './sdk-transport.ts';

export interface SdkComputeOptions {
  clients: SdkClients;
  credentials: Credentials;
  /** Limit of one call. */
  callTimeoutSeconds: number;
}

/** Google's most. */
const pageSize = 500;

export function createSdkCompute(options: SdkComputeOptions): Compute {
  const { instances, operations, transport } = options.clients;
  const limitSeconds = options.callTimeoutSeconds;
  const send = async <T>(call: Call, request: (sdk: SdkOptions) => Promise<T>): Promise<T> =>
    await transport.withCredentials(options.credentials, () => sendAs(call, request));
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
        const page = await instances.list(request, withFields(sdk, pageFields));
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

function withFields(options: SdkOptions, fields: string): SdkOptions {
  return {
    ...options,
    autoPaginate: false,
    otherArgs: { headers: { 'x-goog-fieldmask': fields } },
  };
}
