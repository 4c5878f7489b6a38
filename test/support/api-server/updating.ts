/** What the API server makes of a write to an object that is there: by a patch, or of the whole. */
import { requireNamespace } from './creation.ts';
import type { Body } from './creation.ts';
import { requireReadable } from './decoding.ts';
import { metadataAfter, withKeptParts } from './metadata.ts';
import type { Target } from './paths.ts';
import {
  badRequest,
  immutable,
  internalError,
  invalid,
  invalidValue,
  modified,
  otherUid,
} from './status.ts';
import type { Stored } from './store.ts';

/** The object as a patch has made it, as it will be stored. Throws where the server refuses it. */
export function patchedObject(target: Target, present: Stored, wanted: Body): Stored {
  requireSameName(target, wanted);
  requireNamespace(target, wanted);
  requireVersion(target, present, wanted);
  requireType(target, present, wanted);
  requireSameUid(target, present, wanted);
  return nextObject(target, present, wanted);
}

/** The object as a client sent it, as it will be stored. Throws where the server refuses it. */
export function replacedObject(target: Target, present: Stored, wanted: Body): Stored {
  const uid = wanted.metadata?.uid;
  if (uid && uid !== present.metadata.uid) throw otherUid(target, uid, present.metadata.uid);
  requireVersion(target, present, wanted);
  requireType(target, present, wanted);
  return nextObject(target, present, wanted);
}

/** Asked before anything is looked up. */
export function requireUpdatable(target: Target, wanted: Body): void {
  requireReadable(target, wanted);
  requireSameName(target, wanted);
  requireNamespace(target, wanted);
}

/** What only the server may say is as before. */
function nextObject(target: Target, present: Stored, wanted: Body): Stored {
  const { kind, apiVersion, metadata } = present;
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const always = { name, uid, resourceVersion, creationTimestamp };
  const next: Stored = {
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...wanted,
    metadata: { ...always, ...wanted.metadata },
  };
  const kept = withKeptParts(target, present, next);
  return { ...kept, metadata: metadataAfter(target, present, kept) };
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
  if (wanted !== '' && !/^\d+$/.test(wanted)) {
    throw internalError(`strconv.ParseUint: parsing ${JSON.stringify(wanted)}: invalid syntax`);
  }
  if (Number(wanted) > 0) throw modified(target);
  if (resource.allowsUnconditionalUpdate) return;
  const cause = {
    reason: 'FieldValueInvalid',
    message: 'Invalid value: 0: must be specified for an update',
    field: 'metadata.resourceVersion',
  };
  throw invalid(target, cause, { called: resource.plural });
}

function requireType(target: Target, present: Stored, { kind = '', apiVersion = '' }: Body): void {
  const { isCustom } = target.resource;
  // What is left out of one of the server's own types is filled in again.
  if (kind !== present.kind && (kind !== '' || isCustom)) {
    throw invalidValue(target, 'kind', `${JSON.stringify(kind)}: must be ${present.kind}`);
  }
  if (apiVersion !== present.apiVersion && (apiVersion !== '' || isCustom)) {
    const value = `${JSON.stringify(apiVersion)}: must be ${present.apiVersion}`;
    throw invalidValue(target, 'apiVersion', value);
  }
}

/** An empty UID is none. Of one of our kinds the status is written whatever UID is said. */
function requireSameUid(target: Target, present: Stored, { metadata: { uid } = {} }: Body): void {
  const isIgnored = target.subresource === 'status' && target.resource.isCustom;
  if (!uid || uid === present.metadata.uid || isIgnored) return;
  throw immutable(target, 'metadata.uid', uid);
}
