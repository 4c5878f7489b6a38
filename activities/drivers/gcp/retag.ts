/**
 * Labels of an instance that came from an earlier control cluster: with those of this one, listings
 * show it again.
 */
import type { CreateRequest } from '../driver.ts';
import { ComputeError, errorOfOperation } from './error-mapping.ts';
import type { Compute, ComputeInstance } from './compute.ts';
import { labelNames, labelsFor } from './labels.ts';
import { names } from './provider-id.ts';
import { isTransient, pending } from './wait.ts';
import { isMadeFor } from './find.ts';

/**
 * Only of an instance that the Machine names and that was made for it: same namespace, and same UID
 * or name. What MCM made has no labels, and is listed without. Where Google refuses, the Machine
 * keeps its instance all the same; answers why, in words.
 */
export async function refreshLabels(
  compute: Compute,
  request: CreateRequest,
  instance: ComputeInstance,
): Promise<string | undefined> {
  const { labels, labelFingerprint: fingerprint = '', place } = instance;
  const wanted = labelsFor(labels, request);
  const hasOurs = labels[labelNames.cluster] !== undefined;
  const isOurs = labels[labelNames.cluster] === wanted[labelNames.cluster];
  if (!hasOurs || isOurs || !names(request.providerID, place)) return undefined;
  if (!isMadeFor(instance, request)) return undefined;
  try {
    const operation = await compute.setLabels(
      { place, labels: wanted, fingerprint },
      request.signal,
    );
    if (operation.errors.length === 0) return undefined;
    throw errorOfOperation(`set labels of instance ${place.name}`, operation, false);
  } catch (error) {
    return refusalIn(error, place.name);
  }
}

/** Fails when asking again may help. */
function refusalIn(error: unknown, name: string): string {
  if (!(error instanceof ComputeError) || error.meaning === 'cancelled') throw error;
  const { meaning, message, retryAfterSeconds } = error;
  // Precondition: another caller set labels first, so the fingerprint is out of date.
  if (isTransient(error) || meaning === 'precondition') {
    throw pending(`labels of instance ${name} are being set`, { retryAfterSeconds });
  }
  return `instance ${name} keeps the labels of an earlier cluster: ${message}`;
}
