/** Gives an adopted instance the tags of this control cluster. */
import { DriverError } from '../driver.ts';
import type { CloudTypes } from './cloud.ts';
import { isTransient } from './fault.ts';
import type { Asking } from './find.ts';
import { isMadeFor, isTagged, tagsFor } from './tags.ts';
import { pending } from './wait.ts';

/**
 * Only of an instance that the Machine names and that was made for it: same namespace, and same UID
 * or name. What MCM made has no tags of ours, and is listed without. Where the cloud refuses, the
 * Machine keeps its instance, and the answer is the cloud's message.
 */
export async function refreshTags<T extends CloudTypes>(
  asking: Asking<T>,
  thing: T['thing'],
): Promise<string | undefined> {
  const { cloud, account, request } = asking;
  const { names } = cloud.tags;
  const tags = tagsFor(thing.tags, request, cloud.tags);
  const isOurs = thing.tags[names.cluster] === tags[names.cluster];
  if (!cloud.retag || !isTagged(thing, cloud.tags) || isOurs) return undefined;
  if (!isNamed(asking, thing) || !isMadeFor(cloud, thing, request)) return undefined;
  try {
    const { signal } = request;
    const operation = await cloud.retag(account, { thing, tags, signal });
    if (operation?.failure) throw operation.failure('retag', thing.name, false);
    return undefined;
  } catch (error) {
    return refusalIn(asking, thing, error);
  }
}

function isNamed<T extends CloudTypes>({ cloud, request }: Asking<T>, thing: T['thing']): boolean {
  const { providerID } = request;
  return providerID !== undefined && cloud.instance.refIn(providerID) === thing.ref;
}

/** Fails when asking again may help. */
function refusalIn<T extends CloudTypes>(
  { cloud }: Asking<T>,
  { name }: T['thing'],
  error: unknown,
): string {
  if (!(error instanceof DriverError) || error.code === 'Canceled') throw error;
  const { code, message, retryAfterSeconds } = error;
  const { kind } = cloud.instance;
  const { word } = cloud.tags;
  // Failed precondition: another caller set them first, so what was read is out of date.
  if (isTransient(error) || code === 'FailedPrecondition') {
    throw pending(cloud, `${word}s of ${kind} ${name} are being set`, { retryAfterSeconds });
  }
  return `${kind} ${name} keeps the ${word}s of an earlier cluster: ${message}`;
}
