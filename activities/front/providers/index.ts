/** The providers of machine-controller that the front can translate, by `cloudProvider`. */
import type { ProviderTable } from './table.ts';

export const providerTables: Readonly<Record<string, ProviderTable>> = byCloudProvider([]);

function byCloudProvider(tables: readonly ProviderTable[]): Record<string, ProviderTable> {
  return Object.fromEntries(tables.map((table) => [table.cloudProvider, table]));
}
