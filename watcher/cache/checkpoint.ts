/**
 * Up to which version each resource was signalled, kept as an annotation on our Lease: what is not
 * newer need not be signalled again after a restart.
 */
import { before, olderOf } from '../../kube/cache/resource-version.ts';
import { resources } from './views.ts';
import type { Resource } from './views.ts';

export type Checkpoint = Partial<Record<Resource, string>>;

export interface DeliveryProgress {
  /** Everything up to here was seen. */
  seen(resource: Resource): string | undefined;
  /** The oldest change that was seen and has not arrived. */
  oldestUndelivered(resource: Resource): string | undefined;
}

/** The highest version of each resource below which everything has arrived. */
export function checkpointOf({ seen, oldestUndelivered }: DeliveryProgress): Checkpoint {
  const checkpoint: Checkpoint = {};
  for (const resource of resources) {
    const version = seen(resource);
    if (version === undefined) continue;
    const oldest = oldestUndelivered(resource);
    checkpoint[resource] = oldest === undefined ? version : olderOf(version, before(oldest));
  }
  return checkpoint;
}

/**
 * Where a checkpoint means something: the versions of another cluster mean nothing, and an empty
 * database knows nothing of what was signalled.
 */
export interface Scope {
  /** Names the control cluster and the database of Temporal. */
  place: string;
  /** Id of the cluster that the Nodes join, which may become another one. */
  target?: string | undefined;
}

export function write(checkpoint: Checkpoint, { place, target }: Scope): string {
  return JSON.stringify({ scope: place, target, ...checkpoint });
}

/** An annotation that is missing, foreign or damaged means: everything is signalled again. */
export function read(text: string | undefined, { place, target }: Scope): Checkpoint {
  const content = parsed(text);
  if (content['scope'] !== place) return {};
  const checkpoint: Checkpoint = {};
  for (const resource of resources) {
    if (resource === 'nodes' && content['target'] !== target) continue;
    const version = content[resource];
    if (typeof version === 'string' && /^[1-9]\d*$/.test(version)) checkpoint[resource] = version;
  }
  return checkpoint;
}

/** It is of another cluster, of another database of Temporal, or of another install. */
export function isOfOtherPlace(text: string | undefined, { place }: Pick<Scope, 'place'>): boolean {
  const { scope: found } = parsed(text);
  return found !== undefined && found !== place;
}

function parsed(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? { ...content } : {};
  } catch {
    // A person edited the annotation; signalling everything again is always safe.
    return {};
  }
}
