/** What exists besides instances. Whatever is not named here exists, by any name. */
import { refuse } from './answers.ts';
import type { Place } from './cloud.ts';
import type { InstanceBody } from './rules.ts';

export interface Catalog {
  projects?: string[];
  zones?: string[];
  machineTypes?: string[];
  /** As classes name them: `projects/P/global/images/NAME`. */
  images?: string[];
}

/** In Google's words: a project that is not there is a 404, as an instance is. */
export function requirePlace(catalog: Catalog, { project, zone }: Place): void {
  if (lacks(catalog.projects, project)) {
    refuse(404, 'notFound', `The resource 'projects/${project}' was not found`);
  }
  if (lacks(catalog.zones, zone)) {
    refuse(400, 'invalid', `Invalid value for field 'zone': '${zone}'. Unknown zone.`);
  }
}

export function requireKnown(catalog: Catalog, body: InstanceBody, zone: string): void {
  const type = body.machineType.slice(`zones/${zone}/machineTypes/`.length);
  if (lacks(catalog.machineTypes, type)) {
    const start = `Invalid value for field 'resource.machineType': '${body.machineType}'.`;
    refuse(
      400,
      'invalid',
      `${start} Machine type with name '${type}' does not exist in zone '${zone}'.`,
    );
  }
  for (const { initializeParams } of body.disks) {
    const { sourceImage }: { sourceImage?: string } = Object(initializeParams);
    if (sourceImage === undefined || !lacks(catalog.images, sourceImage)) continue;
    refuse(404, 'notFound', `The resource '${sourceImage}' was not found`);
  }
}

function lacks(known: readonly string[] | undefined, name: string): boolean {
  return known !== undefined && !known.includes(name);
}
