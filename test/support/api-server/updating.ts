/** What the API server makes of a write to an object that is there: by a patch, or of the whole. */
import { requireNamespace } from './creation.ts';
import type { Body } from './creation.ts';
import { prunedByCrd } from './crds.ts';
import { requireReadable } from './decoding.ts';
import { requireFaultless } from './faults.ts';
import { metadataAfter, metadataFaults, withKeptParts } from './metadata.ts';
import type { Target } from './paths.ts';
import { badRequest, causeOf, internalError, invalid, modified, otherUid } from './status.ts';
import type { Stored } from './store.ts';

/** What an object is and what a client wants it to be. */
export interface Update {
  present: Stored;
  wanted: Body;
  /** Whether the schemas of our kinds are asked. */
  hasCrds: boolean;
}

/** The object as a patch has made it, as it will be stored. Throws where the server refuses it. */
export function patchedObject(target: Target, update: Update): Stored {
  requireNamespace(target, update.wanted);
  requireSameName(target, update.wanted);
  requireVersion(target, update.present, update.wanted);
  return nextObject(target, update);
}

/** The object as a client sent it, as it will be stored. Throws where the server refuses it. */
export function replacedObject(target: Target, update: Update): Stored {
  const { present, wanted } = update;
  const uid = wanted.metadata?.uid;
  if (uid && uid !== present.metadata.uid) throw otherUid(target, uid, present.metadata.uid);
  requireVersion(target, present, wanted);
  return nextObject(target, update);
}

/** Asked before anything is looked up. */
export function requireUpdatable(target: Target, wanted: Body): void {
  requireReadable(target, wanted);
  requireNamespace(target, wanted);
  requireSameName(target, wanted);
}

/** What only the server may say is as before. */
function nextObject(target: Target, { present, wanted, hasCrds }: Update): Stored {
  const { kind, apiVersion, metadata } = present;
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const always = { name, uid, resourceVersion, creationTimestamp };
  const whole: Stored = {
    ...wanted,
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    metadata: { ...always, ...wanted.metadata },
  };
  const { resource, subresource } = target;
  const asksCrd = hasCrds && resource.isCustom;
  const next = withKeptParts(target, present, asksCrd ? prunedByCrd(resource, whole) : whole);
  // Of one of our kinds nothing but the status is read there, and written whatever UID is said.
  const isStatusAlone = subresource === 'status' && resource.isCustom;
  const part = subresource === 'status' ? 'status' : 'rest';
  requireFaultless(target, next, {
    metadata: isStatusAlone ? [] : metadataFaults(target, present, wanted),
    isUpdate: true,
    sent: isStatusAlone ? present : wanted,
    crd: asksCrd ? { before: present, part } : undefined,
  });
  return { ...next, metadata: metadataAfter(target, present, next) };
}

function requireSameName({ name }: Target, { metadata }: Body): void {
  const wanted = metadata?.name ?? '';
  if (wanted === name) return;
  throw badRequest(
    wanted === ''
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${wanted}) does not match the name on the URL (${name})`,
  );
}

function requireVersion(target: Target, present: Stored, { metadata }: Body): void {
  const { resource } = target;
  const wanted = metadata?.resourceVersion ?? '';
  if (wanted === present.metadata.resourceVersion) return;
  requireNumber(wanted);
  if (Number(wanted) > 0) throw modified(target);
  if (resource.allowsUnconditionalUpdate) return;
  const cause = causeOf('metadata.resourceVersion', '0: must be specified for an update');
  throw invalid(target, [cause], resource.plural);
}

/** Of a version that a client names; an empty one is none. */
export function requireNumber(version: string): void {
  if (version === '' || /^\d+$/.test(version)) return;
  throw internalError(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
}
