/** The providers whose drivers are built in, as a MachineClass names them. */
export const builtInProviders = [
  'AWS',
  'Azure',
  'GCP',
  'OpenStack',
  'vsphere',
  'kubevirt',
  'hcloud',
  'digitalocean',
  'Alicloud',
  'yandex',
  'metal',
  'nutanix',
  'anexia',
  'vmware-cloud-director',
  'virtual',
] as const;

export type BuiltInProvider = (typeof builtInProviders)[number];

export function isBuiltIn(provider: string): provider is BuiltInProvider {
  return builtInProviders.some((name) => name === provider);
}
