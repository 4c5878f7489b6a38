/** The providers of machine-controller that the front can translate, by `cloudProvider`. */
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { gce } from './gce.ts';
import { kubevirt } from './kubevirt.ts';
import { openstack } from './openstack.ts';
import type { ProviderTable } from './table.ts';
import { vsphere } from './vsphere.ts';

export const providerTables: Readonly<Record<string, ProviderTable>> = byCloudProvider([
  aws,
  azure,
  gce,
  kubevirt,
  openstack,
  vsphere,
]);

function byCloudProvider(tables: readonly ProviderTable[]): Record<string, ProviderTable> {
  return Object.fromEntries(tables.map((table) => [table.cloudProvider, table]));
}
