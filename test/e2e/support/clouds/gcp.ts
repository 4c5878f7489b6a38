import { startGcpDouble } from '../../../doubles/gcp/double.ts';
import { aSecret, aSpec, doubleRules } from '../../../activities/drivers/gcp/gcp-world.ts';
import type { RelayedRequest } from '../relay.ts';
import type { Step } from '../kill-steps.ts';
import { stepAt, type CloudCase, type RunningCloud } from './cloud-case.ts';

export const gcp: CloudCase = { provider: 'GCP', start };

async function start(): Promise<RunningCloud> {
  const double = await startGcpDouble(doubleRules);
  const { cloud } = double;
  return {
    upstream: { origin: double.url },
    envFor: (url) => ({
      MILLWRIGHT_GCP_ENDPOINT: url,
      MILLWRIGHT_GCP_TOKEN_ENDPOINT: `${url}/token`,
    }),
    providerSpec: aSpec,
    secret: { ...aSecret, userData: '#!/bin/sh' },
    stepOf,
    living: async () =>
      [
        ...cloud.instances.map(({ name }) => `instance ${name}`),
        ...cloud.disks.map(({ name }) => `disk ${name}`),
      ].toSorted(),
    made: async (name) => cloud.insertsByName.get(name) ?? 0,
    stop: () => double.close(),
  };
}

/**
 * `/compute/v1/projects/P/zones/Z/instances/NAME`: the collection is the word before last, or the
 * last.
 */
function stepOf({ method, url }: RelayedRequest): Step {
  const words = url.pathname.split('/').filter((word) => word !== '');
  const collection = words.find((word) => ['instances', 'operations', 'token'].includes(word));
  return stepAt(`${method} ${collection ?? url.pathname}`, method !== 'GET');
}
