/** What a patch makes of an object. */
import type { PatchType } from '../../../kube/client/client.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Body } from './creation.ts';
import { applyJsonPatch } from './json-patch.ts';
import { merge } from './merge-patch.ts';
import type { Target } from './paths.ts';
import { badRequest, patchDoesNotApply, unsupportedMediaType } from './status.ts';
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

/** What is to be written then. Throws where the patch does not apply. */
export function patchedBody(present: Stored, { type, body }: Patch): Body {
  if (type === 'json') {
    if (!Array.isArray(body)) {
      const found = isRecord(body) ? 'object' : typeof body;
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`,
      );
    }
    const patched = applyJsonPatch(present, body);
    if (patched) return withTexts(patched);
    throw patchDoesNotApply();
  }
  if (isRecord(body)) return merge(present, body, type ?? 'merge');
  const found = Array.isArray(body) ? 'array' : typeof body;
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

/** Where a text belongs, null is an empty one. */
function withTexts(object: Body): Body {
  const { metadata } = object;
  for (const field of ['labels', 'annotations'] as const) {
    const texts: Record<string, unknown> = metadata?.[field] ?? {};
    for (const key of Object.keys(texts)) texts[key] ??= '';
  }
  return object;
}
