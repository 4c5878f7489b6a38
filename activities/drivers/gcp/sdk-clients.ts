/** Google's SDK for Compute Engine, over REST. */
// The package's entrance would load all of its 200 clients, at three times the price.
import { InstancesClient } from '@google-cloud/compute/build/src/v1/instances_client.js';
import { ZoneOperationsClient } from '@google-cloud/compute/build/src/v1/zone_operations_client.js';
import { GoogleAuth } from 'google-auth-library';
import { Transport } from './sdk-transport.ts';

export interface SdkClients {
  instances: InstancesClient;
  operations: ZoneOperationsClient;
  transport: Transport;
}

/**
 * `endpoint`: default Google's. Makes no call, but blocks the process for a second: the SDK reads
 * the description of all of Compute Engine.
 */
export async function createSdkClients(endpoint: URL | undefined): Promise<SdkClients> {
  const transport = new Transport();
  const auth = new GoogleAuth({ authClient: transport });
  const options = { ...endpointOptions(endpoint), fallback: true as const, auth };
  const instances = new InstancesClient(options);
  const operations = new ZoneOperationsClient(options);
  // Otherwise it would be done in the first call, and count against its time limit.
  await Promise.all([instances.initialize(), operations.initialize()]);
  return { instances, operations, transport };
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
