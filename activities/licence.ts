import { notLicensed } from './failures.ts';
import type { World } from './world.ts';

/** At the edge of everything that creates or destroys. */
export function requireLicence({ licence, namespace }: Pick<World, 'licence' | 'namespace'>): void {
  if (!licence.isGranted()) throw notLicensed(namespace);
}
