/** The providers of machine-controller that the front can translate, by `cloudProvider`. */
import { alibaba } from './alibaba.ts';
import { digitalocean } from './digitalocean.ts';
import { fake } from './fake.ts';
import { hetzner } from './hetzner.ts';
import type { ProviderTable } from './table.ts';

export const providerTables: Readonly<Record<string, ProviderTable>> = byCloudProvider([
  alibaba,
  digitalocean,
  fake,
  hetzner,
]);

function byCloudProvider(tables: readonly ProviderTable[]): Record<string, ProviderTable> {
  return Object.fromEntries(tables.map((table) => [table.cloudProvider, table]));
}
