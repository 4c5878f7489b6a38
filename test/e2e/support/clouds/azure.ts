import { readFileSync } from 'node:fs';
import { aSpec, secret } from '../../../activities/drivers/azure/a-machine.ts';
import { startAzureDouble } from '../../../doubles/azure/server.ts';
import type { Step } from '../kill-steps.ts';
import type { RelayedRequest } from '../relay.ts';
import { stepAt, type CloudCase, type RunningCloud } from './cloud-case.ts';

export const azure: CloudCase = { provider: 'Azure', start };

async function start(): Promise<RunningCloud> {
  const double = await startAzureDouble();
  const ca = readFileSync(double.caFile, 'utf8');
  return {
    upstream: { origin: double.url, tls: { ca, rejectUnauthorized: true } },
    serverTls: double.tls,
    envFor: (url) => ({
      MILLWRIGHT_AZURE_ENDPOINT: url,
      // What the authority says of itself has to be its address.
      MILLWRIGHT_AZURE_AUTHORITY: double.url,
      MILLWRIGHT_AZURE_CA_FILE: double.caFile,
    }),
    providerSpec: aSpec(),
    secret: { ...secret, userData: '#!/bin/sh' },
    stepOf,
    async living() {
      double.resources.advance();
      return double.resources.all().map(({ type, name }) => `${type} ${name}`);
    },
    made: async (name) => double.resources.created.get(name) ?? 0,
    stop: () => double.close(),
  };
}

/**
 * `.../providers/Microsoft.Compute/virtualMachines/NAME`: the type is the last word but one, or the
 * last.
 */
function stepOf({ method, url }: RelayedRequest): Step {
  const words = url.pathname.split('/').filter((word) => word !== '');
  const known = words.findLast((word) => types.has(word.toLowerCase()));
  return stepAt(`${method} ${known ?? words.at(-1) ?? ''}`, method !== 'GET');
}

const types = new Set(['virtualmachines', 'networkinterfaces', 'disks', 'subnets', 'operations']);
