/** What the API server makes of an object that is created. */
import type { ObjectMeta } from '../../../activities/kube/client/client.ts';
import { requireReadable } from './decoding.ts';
import type { Body } from './decoding.ts';
import { withoutEmpty } from './metadata.ts';
import { apiVersionOf } from './resources.ts';
import type { Target } from './paths.ts';
import { badRequest, internalError, invalid, invalidValue } from './status.ts';
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
  birth: Birth,
): { target: Target; object: Stored } {
  const { metadata = {} } = body;
  requireReadable(collection, body);
  requireKind(collection, body);
  requireNamespace(collection, body);
  const target = { ...collection, name: metadata.name || birth.generatedName };
  requireName(target);
  if (metadata.resourceVersion) {
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  const { resource } = target;
  return {
    target,
    object: {
      ...contentOf(target, body),
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: metadataOf(target, metadata, birth),
    },
  };
}

/** What only the server may say, a client has not said. */
function metadataOf(
  { resource, namespace, name }: Target,
  { deletionTimestamp: _ignored, ...wanted }: Partial<ObjectMeta>,
  { uid, creationTimestamp }: Birth,
): ObjectMeta {
  return withoutEmpty({
    ...wanted,
    name,
    ...(resource.isNamespaced && { namespace }),
    uid,
    creationTimestamp,
    // The store gives it another one.
    resourceVersion: '',
    ...(resource.countsGenerations && { generation: 1 }),
  });
}

/** A status that has its own path is not created with the object. */
function contentOf({ resource }: Target, { status, ...content }: Body): object {
  const isApart = resource.isCustom && resource.hasStatus;
  return isApart || status === undefined ? content : { ...content, status };
}

function requireKind(target: Target, { kind = '', metadata }: Body): void {
  const { resource } = target;
  if (!resource.isCustom || kind === resource.kind) return;
  const other = { ...target, name: metadata?.name ?? '', resource: { ...resource, kind } };
  throw invalidValue(other, 'kind', `${JSON.stringify(kind)}: must be ${resource.kind}`);
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

function requireName(target: Target): void {
  const { name } = target;
  if (name === '') {
    throw invalid(target, {
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
      field: 'metadata.name',
    });
  }
  if (name.length > longestNameCharacters || !new RegExp(`^${subdomain}$`).test(name)) {
    throw invalidValue(target, 'metadata.name', `${JSON.stringify(name)}: ${subdomainRule}`);
  }
}
