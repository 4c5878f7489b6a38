/** What the conditions of the end are checked on. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import type { JudgedObject } from '../objects.ts';
import type { Witness } from './witness.ts';

/** All objects of an install. */
export interface Objects {
  machines: JudgedObject[];
  sets: JudgedObject[];
  deployments: JudgedObject[];
  classes: JudgedObject[];
}

export interface EndParts {
  evidence: Evidence;
  install: Install;
  objects: Objects;
  witness: Witness;
}
