/** The paths of the API server: what they name, and how they are written. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { apiVersionOf, resources } from './resources.ts';
import type { Resource } from './resources.ts';

/** What a path names: a collection where it has no name, in all namespaces where it has none. */
export interface Target {
  resource: Resource;
  namespace: string;
  name: string;
  subresource: string;
}

const shape = new RegExp(
  [
    '^/(?:api|apis/(?<group>[^/]+))/(?<version>[^/]+)',
    '(?:/namespaces/(?<namespace>[^/]+)(?=/.))?',
    '/(?<plural>[^/]+)(?:/(?<name>[^/]+)(?:/(?<subresource>[^/]+))?)?$',
  ].join(''),
);

const mostKnown = 20_000;
/** The same paths are asked for again and again, and to parse one takes longer than the rest. */
const known = new Map<string, Target | undefined>();

/** Undefined where nothing is served. */
export function targetOf(path: string): Target | undefined {
  if (known.has(path)) return known.get(path);
  if (known.size >= mostKnown) known.clear();
  const target = parsed(path);
  known.set(path, target);
  return target;
}

function parsed(path: string): Readonly<Target> | undefined {
  const { group = '', version, plural, ...place } = shape.exec(path)?.groups ?? {};
  const resource = resources.find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  const { namespace = '', name = '', subresource: named = '' } = place;
  // The conditions of the status that say so.
  const isApproval = named === 'approval' && resource?.kind === 'CertificateSigningRequest';
  const subresource = isApproval ? 'status' : named;
  const target = resource && { resource, namespace, name, subresource };
  return target && isServed(target) ? target : undefined;
}

/** What discovery says of the group and version at this path; undefined where there is none. */
export function servedApi(
  path: string,
  isInstalled: (resource: Resource) => boolean,
): object | undefined {
  const served = resources.filter(
    (one) => `/apis/${apiVersionOf(one)}` === path && isInstalled(one),
  );
  if (served.length === 0) return undefined;
  const names = served.flatMap(({ plural, kind, hasStatus }) => [
    { name: plural, kind },
    ...(hasStatus ? [{ name: `${plural}/status`, kind }] : []),
  ]);
  return { kind: 'APIResourceList', groupVersion: path.slice('/apis/'.length), resources: names };
}

/** Of the objects of a collection. */
export function typeServedAt(path: string): { kind?: string; apiVersion?: string } {
  const resource = targetOf(path)?.resource;
  return resource ? { kind: resource.kind, apiVersion: apiVersionOf(resource) } : {};
}

function isServed(target: Target): boolean {
  const { resource, namespace, name } = target;
  // An object of a namespace is not found without it; only lists are of all namespaces.
  const isInPlace = resource.isNamespaced ? namespace !== '' || name === '' : namespace === '';
  return isInPlace && (resource.isCustom || isSubresource(target));
}

/** Whether there is such a subresource, or none is named. */
export function isSubresource({ resource: { kind, hasStatus }, subresource }: Target): boolean {
  return (
    subresource === '' ||
    (subresource === 'status' && hasStatus) ||
    (subresource === 'eviction' && kind === 'Pod')
  );
}

/** Where the collection or the object is, without its subresource. */
export function pathOf({ resource, namespace, name }: Omit<Target, 'subresource'>): string {
  const { group: of, version, plural } = resource;
  const root = of === '' ? `/api/${version}` : `/apis/${of}/${version}`;
  const place = namespace === '' ? root : `${root}/namespaces/${namespace}`;
  return name === '' ? `${place}/${plural}` : `${place}/${plural}/${name}`;
}

/** Throws for a kind that is not known here. */
export function targetOfObject({ kind = '', apiVersion, metadata }: KubeObject): Target {
  const ofKind = resources.filter((one) => one.kind === kind);
  const resource = ofKind.find((one) => apiVersionOf(one) === apiVersion) ?? ofKind[0];
  if (!resource) throw new Error(`the API server in memory knows no kind ${JSON.stringify(kind)}`);
  const { namespace = '', name } = metadata;
  return {
    resource,
    namespace: resource.isNamespaced ? namespace : '',
    name,
    subresource: '',
  };
}
