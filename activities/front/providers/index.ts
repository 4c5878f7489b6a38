/** The providers of machine-controller that the front can translate, by `cloudProvider`. */
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { gce } from './gce.ts';
import type { ProviderTable } from './table.ts';

export const providerTables: Readonly<Record<string, ProviderTable>> = byCloudProvider([
  aws,
  azure,
  gce,
]);

function byCloudProvider(tables: readonly ProviderTable[]): Record<string, ProviderTable> {
  return Object.fromEntries(tables.map((table) => [table.cloudProvider, table]));
}
