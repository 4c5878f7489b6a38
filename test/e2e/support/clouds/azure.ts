import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateAuthority } from '../../../../deploy/local/cluster/certificates.ts';
import { aSpec, secret } from '../../../activities/drivers/azure/a-machine.ts';
import { startAzureDouble } from '../../../doubles/azure/server.ts';
import type { Step } from '../kill-steps.ts';
import type { RelayedRequest } from '../relay.ts';
import { stepAt, type CloudCase, type RunningCloud } from './cloud-case.ts';

export const azure: CloudCase = { provider: 'Azure', start };

/** A relay has a certificate of another authority than the double: the worker trusts both. */
async function start(): Promise<RunningCloud> {
  const folder = mkdtempSync(join(tmpdir(), 'azure-relay-'));
  const ca = await CertificateAuthority.loadOrCreate(join(folder, 'ca'));
  const { certificate, key } = await ca.issue({ user: 'relay', hosts: ['127.0.0.1'] });
  const double = await startAzureDouble();
  const doubleCa = readFileSync(double.caFile, 'utf8');
  const caFile = join(folder, 'both.pem');
  writeFileSync(caFile, `${doubleCa}\n${ca.certificate}`);
  return {
    upstream: { origin: double.url, tls: { ca: doubleCa, rejectUnauthorized: true } },
    serverTls: { cert: certificate, key },
    envFor: (url) => ({
      MILLWRIGHT_AZURE_ENDPOINT: url,
      MILLWRIGHT_AZURE_AUTHORITY: url,
      MILLWRIGHT_AZURE_CA_FILE: caFile,
    }),
    providerSpec: aSpec(),
    secret: { ...secret, userData: '#!/bin/sh' },
    stepOf,
    async living() {
      double.resources.advance();
      return double.resources.all().map(({ type, name }) => `${type} ${name}`);
    },
    made: async (name) => double.resources.created.get(name) ?? 0,
    async stop() {
      await double.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** `.../providers/Microsoft.Compute/virtualMachines/NAME`: the type is the last word but one, or the last. */
function stepOf({ method, url }: RelayedRequest): Step {
  const words = url.pathname.split('/').filter((word) => word !== '');
  const known = words.findLast((word) => types.has(word.toLowerCase()));
  return stepAt(`${method} ${known ?? words.at(-1) ?? ''}`, method !== 'GET');
}

const types = new Set(['virtualmachines', 'networkinterfaces', 'disks', 'subnets', 'operations']);
