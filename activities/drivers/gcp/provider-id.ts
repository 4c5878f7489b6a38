/** The identity of an instance: its place, as names are unique in a zone. */

export interface InstancePlace {
  project: string;
  zone: string;
  name: string;
}

/** As Gardener's driver writes it. */
export function providerIDOf({ project, zone, name }: InstancePlace): string {
  return `gce:///${project}/${zone}/${name}`;
}

/**
 * Undefined when it is neither of the form `gce:///PROJECT/ZONE/NAME` nor
 * `gce://PROJECT/ZONE/NAME`, which Google's cloud controller manager writes to Nodes
 * (cloud-provider-gcp, providers/gce/gce_util.go): a Machine that was written by hand may have it.
 */
export function placeOf(providerID: string): InstancePlace | undefined {
  const form =
    /^gce:\/\/\/?([a-z0-9.:-]+)\/([a-z][a-z0-9-]*)\/([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)$/;
  const [, project, zone, name] = form.exec(providerID) ?? [];
  if (project === undefined || zone === undefined || name === undefined) return undefined;
  return { project, zone, name };
}

/** One text for a place. */
export function refOfPlace({ project, zone, name }: InstancePlace): string {
  return `${project}/${zone}/${name}`;
}

export function placeOfRef(ref: string): InstancePlace {
  const [project = '', zone = '', name = ''] = ref.split('/');
  return { project, zone, name };
}

/** Google knows no other names: nothing of another name was ever made. */
export function isInstanceName(name: string): boolean {
  return /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
}
