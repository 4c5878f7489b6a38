/** What the API server makes of a patch of an object. */
import type { PatchType } from '../../../activities/kube/client/client.ts';
import { requireNamespace } from './creation.ts';
import type { Body } from './creation.ts';
import { applyJsonPatch } from './json-patch.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { merge } from './merge-patch.ts';
import { metadataAfter, withKeptParts } from './metadata.ts';
import type { Target } from './paths.ts';
import {
  badRequest,
  immutable,
  internalError,
  invalid,
  invalidValue,
  modified,
  patchDoesNotApply,
  unsupportedMediaType,
} from './status.ts';
import type { Stored } from './store.ts';

export interface Patch {
  /** Undefined: another type of content. */
  type: PatchType | undefined;
  body: unknown;
}

/** Asked before anything is looked up. */
export function requireKnownType({ resource }: Target, { type }: Patch): void {
  if (type !== undefined && (type !== 'strategic' || !resource.isCustom)) return;
  throw unsupportedMediaType([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/apply-patch+yaml',
  ]);
}

/** The object with the patch, as it will be stored. Throws where the server refuses it. */
export function patchedObject(target: Target, present: Stored, patch: Patch): Stored {
  const wanted = withPatch(present, patch);
  requireSameName(target, wanted);
  requireNamespace(target, wanted);
  requireVersion(target, present, wanted);
  requireKind(target, present, wanted);
  const next = whole(present, wanted);
  requireUid(target, present, next);
  const kept = withKeptParts(target, present, next);
  return { ...kept, metadata: metadataAfter(target, present, kept) };
}

/** A patch may take away what each object has; the checks have seen that it did not. */
function whole(present: Stored, wanted: Body): Stored {
  const { kind, metadata } = present;
  const { name, uid, resourceVersion, creationTimestamp } = metadata;
  const always = { name, uid, resourceVersion, creationTimestamp };
  return {
    ...(kind !== undefined && { kind }),
    ...wanted,
    metadata: { ...always, ...wanted.metadata },
  };
}

function withPatch(present: Stored, { type, body }: Patch): Body {
  if (type === 'json') {
    if (!Array.isArray(body)) {
      const found = isRecord(body) ? 'object' : typeof body;
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`,
      );
    }
    const patched = applyJsonPatch(present, body);
    if (patched) return patched;
    throw patchDoesNotApply();
  }
  if (isRecord(body)) return merge(present, body, type ?? 'merge');
  const found = Array.isArray(body) ? 'array' : typeof body;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
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

function requireKind(target: Target, present: Stored, { kind = '', apiVersion }: Body): void {
  // What is taken away from one of the server's own types is filled in again.
  const isFilledIn = kind === '' && !target.resource.isCustom;
  if (kind !== present.kind && !isFilledIn) {
    throw invalidValue(target, 'kind', `${JSON.stringify(kind)}: must be ${present.kind}`);
  }
  if (apiVersion !== present.apiVersion) {
    const value = `${JSON.stringify(apiVersion)}: must be ${present.apiVersion}`;
    throw invalidValue(target, 'apiVersion', value);
  }
}

/** An empty UID is none. */
function requireUid(target: Target, present: Stored, { metadata: { uid } }: Stored): void {
  if (!uid || uid === present.metadata.uid) return;
  throw immutable(target, 'metadata.uid', uid);
}
