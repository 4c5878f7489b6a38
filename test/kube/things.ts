/** Small objects of one resource, as many as a test likes. */
import { namespaced } from '../../kube/client/paths.ts';
import type { KubeObject, ObjectMeta } from '../../kube/client/client.ts';

export const thing = (name: string): string => namespaced('configmaps', 'default', name);
export const things = namespaced('configmaps', 'default');

interface Fields {
  metadata?: Partial<ObjectMeta>;
  [field: string]: unknown;
}

export function aThing(name: string, fields: Fields = {}, uid = `uid-${name}`): KubeObject {
  return anObject('ConfigMap', name, { ...fields, metadata: { uid, ...fields.metadata } });
}

export function aLease(name: string, spec: object, metadata: Partial<ObjectMeta> = {}): KubeObject {
  return anObject('Lease', name, { spec, metadata: { uid: `uid-${name}`, ...metadata } });
}

function anObject(kind: string, name: string, { metadata, ...fields }: Fields): KubeObject {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const given = { uid: '', resourceVersion: '', creationTimestamp, ...metadata };
  return { kind, ...fields, metadata: { ...given, name, namespace: 'default' } };
}
