/** The providers of machine-controller that the front can translate, by `cloudProvider`. */
import { alibaba } from './alibaba.ts';
import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { digitalocean } from './digitalocean.ts';
import { fake } from './fake.ts';
import { gce } from './gce.ts';
import { hetzner } from './hetzner.ts';
import { kubevirt } from './kubevirt.ts';
import { openstack } from './openstack.ts';
import type { ProviderTable } from './table.ts';
import { vsphere } from './vsphere.ts';

export const providerTables: Readonly<Record<string, ProviderTable>> = byCloudProvider([
  alibaba,
  aws,
  azure,
  digitalocean,
  fake,
  gce,
  hetzner,
  kubevirt,
  openstack,
  vsphere,
]);

function byCloudProvider(tables: readonly ProviderTable[]): Record<string, ProviderTable> {
  return Object.fromEntries(tables.map((table) => [table.cloudProvider, table]));
}
