/** What the API server fills in, keeps and refuses in the metadata and the status of a write. */
import type { ObjectMeta } from '../../../activities/kube/client/client.ts';
import { isSameJson } from './json.ts';
import type { Target } from './paths.ts';
import { immutable, invalid } from './status.ts';
import type { Stored } from './store.ts';

/** What a write through this path does not touch stays as it was. */
export function withKeptParts(target: Target, before: Stored, after: Stored): Stored {
  const { resource, subresource } = target;
  if (subresource === 'status') {
    const base = resource.isCustom ? before : { ...after, spec: before['spec'] };
    return withField(base, 'status', after['status']);
  }
  return resource.hasStatus ? withField(after, 'status', before['status']) : after;
}

/** Nothing is kept of a field that is undefined. */
function withField(object: Stored, field: string, value: unknown): Stored {
  const { [field]: _old, ...rest } = object;
  return { ...rest, metadata: object.metadata, ...(value !== undefined && { [field]: value }) };
}

/** What no client can change is as before; what is empty counts as not said. */
export function metadataAfter(target: Target, before: Stored, after: Stored): ObjectMeta {
  const present = before.metadata;
  const { deletionTimestamp, generation: _given, ...wanted } = after.metadata;
  const isDeleting = present.deletionTimestamp !== undefined;
  if (!isDeleting && deletionTimestamp !== undefined) {
    throw immutable(target, 'metadata.deletionTimestamp', deletionTimestamp);
  }
  requireNoNewFinalizers(target, present, wanted);
  return withoutEmpty({
    ...wanted,
    uid: present.uid,
    creationTimestamp: present.creationTimestamp,
    ...(isDeleting && { deletionTimestamp: present.deletionTimestamp }),
    ...generationAfter(target, before, after),
  });
}

function requireNoNewFinalizers(
  target: Target,
  present: ObjectMeta,
  wanted: Partial<ObjectMeta>,
): void {
  if (present.deletionTimestamp === undefined) return;
  const known = new Set(present.finalizers);
  const added = (wanted.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return;
  const names = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const cause = {
    reason: 'FieldValueForbidden',
    message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`,
    field: 'metadata.finalizers',
  };
  throw invalid(target, cause, { isDoubled: true });
}

/** Goes up with each change of what is wanted. */
function generationAfter(
  { resource }: Target,
  before: Stored,
  after: Stored,
): Pick<ObjectMeta, 'generation'> {
  const { generation } = before.metadata;
  if (!resource.countsGenerations) return generation === undefined ? {} : { generation };
  const isSame = isSameJson(contentOf(before), contentOf(after));
  return { generation: (generation ?? 0) + (isSame ? 0 : 1) };

  function contentOf(object: Stored): object {
    const { metadata: _metadata, status, ...content } = object;
    return resource.hasStatus ? content : { ...content, status };
  }
}

/** Empty labels, annotations, finalizers and owners are none. */
export function withoutEmpty<T extends ObjectMeta>(metadata: T): T {
  const result = { ...metadata };
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (Object.keys(result[field] ?? {}).length === 0) delete result[field];
  }
  return result;
}
