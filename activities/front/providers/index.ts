/** The providers of machine-controller that the front serves. */
import { alibaba } from './alibaba.ts';
import { digitalocean } from './digitalocean.ts';
import { fake } from './fake.ts';
import { hetzner } from './hetzner.ts';
import type { ProviderTable } from './table.ts';

/** By `cloudProvider`. */
export const providerTables: Readonly<Record<string, ProviderTable>> = {
  alibaba,
  digitalocean,
  fake,
  hetzner,
};
