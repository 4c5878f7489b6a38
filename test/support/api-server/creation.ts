/** What the API server makes of an object that is created. */
import type { ObjectMeta } from '../../../kube/client/client.ts';
import { prunedByCrd } from './crds.ts';
import { requireReadable } from './decoding.ts';
import type { Body } from './decoding.ts';
import { requireFaultless } from './faults.ts';
import { namespaceOf, withoutEmpty } from './metadata.ts';
import { apiVersionOf } from './resources.ts';
import type { Target } from './paths.ts';
import { badRequest, causeOf, internalError } from './status.ts';
import type { Cause } from './status.ts';
import type { Stored } from './store.ts';

export type { Body } from './decoding.ts';

export interface Birth {
  uid: string;
  creationTimestamp: string;
  /** For the case that only its beginning is wanted. */
  generatedName: string;
}

/** The object with its path, as it will be stored. Throws where the server refuses it. */
export function newObject(
  collection: Target,
  body: Body,
  { birth, hasCrds }: { birth: Birth; hasCrds: boolean },
): { target: Target; object: Stored } {
  const { metadata = {} } = body;
  requireReadable(collection, body);
  requireNamespace(collection, body);
  const target = { ...collection, name: metadata.name || birth.generatedName };
  const { resource } = target;
  const whole = {
    ...contentOf(target, body),
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: metadataOf(target, metadata, birth),
  };
  const asksCrd = hasCrds && resource.isCustom;
  const object = asksCrd ? prunedByCrd(resource, whole) : whole;
  requireFaultless(target, object, {
    metadata: nameFaults(target),
    isUpdate: false,
    sent: body,
    crd: asksCrd ? { part: 'rest' } : undefined,
  });
  if (metadata.resourceVersion) {
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  return { target, object };
}

/** What only the server may say, a client has not said. */
function metadataOf(
  target: Target,
  { deletionTimestamp: _ignored, namespace: _known, ...wanted }: Partial<ObjectMeta>,
  { uid, creationTimestamp }: Birth,
): ObjectMeta {
  return withoutEmpty({
    ...wanted,
    name: target.name,
    ...namespaceOf(target),
    uid,
    creationTimestamp,
    // The store gives it another one.
    resourceVersion: '',
    ...(target.resource.countsGenerations && { generation: 1 }),
  });
}

/** A status that has its own path is not created with the object. */
function contentOf({ resource }: Target, { status, ...content }: Body): object {
  const isApart = resource.isCustom && resource.hasStatus;
  return isApart || status === undefined ? content : { ...content, status };
}

export function requireNamespace({ resource, namespace }: Target, { metadata }: Body): void {
  const wanted = metadata?.namespace || namespace;
  if (!resource.isNamespaced || wanted === namespace) return;
  throw badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = String.raw`${label}(\.${label})*`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`;
const longestNameCharacters = 253;
const lengthRule = `must be no more than ${longestNameCharacters} characters`;

function nameFaults({ resource, name }: Target): Cause[] {
  if (name === '') {
    const message = 'Required value: name or generateName is required';
    return [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }];
  }
  if (resource.takesAnyName) return [];
  const rules = [
    ...(name.length > longestNameCharacters ? [lengthRule] : []),
    ...(new RegExp(`^${subdomain}$`).test(name) ? [] : [subdomainRule]),
  ];
  return rules.map((rule) => causeOf('metadata.name', `${JSON.stringify(name)}: ${rule}`));
}
