/** What the API server fills in, keeps and refuses in the metadata and the status of a write. */
import type { ObjectMeta } from '../../../kube/client/client.ts';
import { isSameJson } from './json.ts';
import type { Target } from './paths.ts';
import { causeOf } from './status.ts';
import type { Cause } from './status.ts';
import type { Stored, StoredMeta } from './store.ts';

/** What a write through this path does not touch stays as it was. */
export function withKeptParts(target: Target, before: Stored, after: Stored): Stored {
  const { resource, subresource } = target;
  if (subresource === 'status') {
    const base = resource.isCustom ? before : { ...after, spec: before['spec'] };
    const next = withField(base, 'status', after['status']);
    return resource.kind === 'Pod' ? withOwners(next, before) : next;
  }
  return resource.hasStatus ? withField(after, 'status', before['status']) : after;
}

/** Nothing is kept of a field that is undefined. */
function withField(object: Stored, field: string, value: unknown): Stored {
  const { [field]: _old, ...rest } = object;
  return { ...rest, metadata: object.metadata, ...(value !== undefined && { [field]: value }) };
}

/** Kubelets of old lost them, so the status of a pod does not touch them. */
function withOwners(object: Stored, { metadata: { ownerReferences = [] } }: Stored): Stored {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

/** What no client can change is as before; what is empty counts as not said. */
export function metadataAfter(target: Target, before: Stored, after: Stored): StoredMeta {
  const present = before.metadata;
  const { deletionTimestamp, deletionGracePeriodSeconds } = present;
  const {
    generation: _given,
    namespace: _known,
    deletionTimestamp: _ignored,
    ...wanted
  } = after.metadata;
  return withoutEmpty({
    ...wanted,
    uid: present.uid,
    creationTimestamp: present.creationTimestamp,
    ...namespaceOf(target),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    ...generationAfter(target, before, after),
  });
}

/** What a client wants and cannot have. An empty UID is none. */
export function metadataFaults(
  { resource, subresource }: Target,
  { metadata: present }: Stored,
  { metadata: wanted = {} }: { metadata?: Partial<ObjectMeta> },
): Cause[] {
  const { uid, deletionTimestamp } = wanted;
  const isDeleting = present.deletionTimestamp !== undefined;
  // Kubelets of old said it with the status.
  const isIgnored = resource.kind === 'Pod' && subresource === 'status';
  return [
    ...(isDeleting ? newFinalizers(present, wanted) : []),
    ...(uid && uid !== present.uid ? [immutable('metadata.uid', uid)] : []),
    ...(!isDeleting && !isIgnored && deletionTimestamp
      ? [immutable('metadata.deletionTimestamp', deletionTimestamp)]
      : []),
  ];
}

function immutable(field: string, value: string): Cause {
  return causeOf(field, `${JSON.stringify(value)}: field is immutable`);
}

function newFinalizers(present: ObjectMeta, wanted: Partial<ObjectMeta>): Cause[] {
  const known = new Set(present.finalizers);
  const added = (wanted.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const names = [...new Set(added)].toSorted().map((finalizer) => JSON.stringify(finalizer));
  const cause = {
    reason: 'FieldValueForbidden',
    message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${names.join(', ')}}`,
    field: 'metadata.finalizers',
  };
  return [cause];
}

/** A cluster-scoped object has none, also when a client sends one. */
export function namespaceOf({ resource, namespace }: Target): Pick<ObjectMeta, 'namespace'> {
  return resource.isNamespaced ? { namespace } : {};
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
