/**
 * What the built-in drivers of clouds say of a provider spec, without the drivers: the command
 * would carry their SDKs.
 */
import alicloudSchema from './alicloud/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAlicloud } from './alicloud/validate.ts';
import anexiaSchema from './anexia/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAnexia } from './anexia/validate.ts';
import awsSchema from './aws/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAws } from './aws/validate.ts';
import azureSchema from './azure/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateAzure } from './azure/validate.ts';
import digitaloceanSchema from './digitalocean/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateDigitalOcean } from './digitalocean/validate.ts';
import gcpSchema from './gcp/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateGcp } from './gcp/validate.ts';
import hetznerSchema from './hetzner/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateHetzner } from './hetzner/validate.ts';
import kubevirtSchema from './kubevirt/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateKubevirt } from './kubevirt/validate.ts';
import metalSchema from './metal/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateMetal } from './metal/validate.ts';
import nutanixSchema from './nutanix/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateNutanix } from './nutanix/validate.ts';
import openstackSchema from './openstack/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateOpenStack } from './openstack/validate.ts';
import vcdSchema from './vcd/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateVcd } from './vcd/validate.ts';
import vsphereSchema from './vsphere/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateVsphere } from './vsphere/validate.ts';
import yandexSchema from './yandex/provider-spec.schema.json' with { type: 'json' };
import { validateProviderSpec as validateYandex } from './yandex/validate.ts';
import { readingOf } from './spec-spelling.ts';

/** By the `provider` of a MachineClass. */
export const providerSpecs = {
  AWS: { schema: awsSchema, validate: validateAws },
  Azure: { schema: azureSchema, validate: validateAzure },
  GCP: { schema: gcpSchema, validate: validateGcp },
  OpenStack: { schema: openstackSchema, validate: validateOpenStack },
  vsphere: { schema: vsphereSchema, validate: validateVsphere },
  kubevirt: { schema: kubevirtSchema, validate: validateKubevirt },
  hcloud: { schema: hetznerSchema, validate: validateHetzner },
  digitalocean: { schema: digitaloceanSchema, validate: validateDigitalOcean },
  Alicloud: { schema: alicloudSchema, validate: validateAlicloud },
  yandex: { schema: yandexSchema, validate: validateYandex },
  metal: { schema: metalSchema, validate: validateMetal },
  nutanix: { schema: nutanixSchema, validate: validateNutanix },
  anexia: { schema: anexiaSchema, validate: validateAnexia },
  'vmware-cloud-director': { schema: vcdSchema, validate: validateVcd },
} as const;

export type CloudProvider = keyof typeof providerSpecs;

function isCloud(provider: string): provider is CloudProvider {
  return Object.hasOwn(providerSpecs, provider);
}

/** A sentence for each fault; none for a provider of which nothing is known here. */
export function specFaultsOf(provider: string, providerSpec: unknown): string[] {
  if (!isCloud(provider)) return [];
  const { schema, validate } = providerSpecs[provider];
  return validate(readingOf(schema)(providerSpec));
}
