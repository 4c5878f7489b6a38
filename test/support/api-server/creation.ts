/** What the API server makes of an object that is created. */
import type { ObjectMeta } from '../../../activities/kube/client/client.ts';
import { withoutEmpty } from './metadata.ts';
import { apiVersionOf } from './resources.ts';
import type { Target } from './paths.ts';
import { badRequest, internalError, invalid, invalidValue } from './status.ts';
import type { Stored } from './store.ts';

/** What a client sends. */
export interface Body {
  apiVersion?: string;
  kind?: string;
  metadata?: Partial<ObjectMeta>;
  [field: string]: unknown;
}

export interface Birth {
  uid: string;
  creationTimestamp: string;
  /** Of a name that the server makes up. */
  suffix: string;
}

/** The object with its path, as it will be stored. Throws where the server refuses it. */
export function newObject(
  collection: Target,
  body: Body,
  birth: Birth,
): { target: Target; object: Stored } {
  const { metadata = {} } = body;
  requireKind(collection, body);
  requireNamespace(collection, body);
  const { generateName = '' } = metadata;
  const generated = generateName === '' ? '' : generateName + birth.suffix;
  const target = { ...collection, name: metadata.name || generated };
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
    ...(resource.isCustom && { generation: 1 }),
  });
}

/** A status that has its own path is not created with the object. */
function contentOf({ resource }: Target, { status, ...content }: Body): object {
  const isApart = resource.isCustom && resource.hasStatus;
  return isApart || status === undefined ? content : { ...content, status };
}

function requireKind(target: Target, body: Body): void {
  const { kind = '' } = body;
  const { kind: wanted, isCustom } = target.resource;
  if (kind === '' && isCustom) throw kindMissing(wanted, body);
  if (kind !== '' && kind !== wanted) throw anotherKind(target, body, kind);
}

function kindMissing(wanted: string, body: Body): Error {
  const text = JSON.stringify(body);
  const beginning = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  return badRequest(
    `the object provided is unrecognized (must be of type ${wanted}): Object 'Kind' is missing in '${text}' (${beginning})`,
  );
}

function anotherKind(target: Target, { apiVersion = '', metadata }: Body, kind: string): Error {
  const { resource } = target;
  if (!resource.isCustom) {
    return badRequest(
      `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${resource.kind}: converting (${apiVersion}.${kind}) to (core.${resource.kind}): unknown conversion`,
    );
  }
  const other = { ...target, name: metadata?.name ?? '', resource: { ...resource, kind } };
  return invalidValue(other, 'kind', `${JSON.stringify(kind)}: must be ${resource.kind}`);
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
