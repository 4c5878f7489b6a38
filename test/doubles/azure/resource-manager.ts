/** The Resource Manager: which request is which. */
import { Refusal, type Answer } from './answer.ts';
import type { Fault } from './faults.ts';
import { answerGraph } from './graph.ts';
import { requireApiVersion } from './api-versions.ts';
import type { Resource, Resources } from './resources.ts';
import * as shapes from './shapes.ts';
import { bodyOf, put, remove, types, type KnownType } from './writes.ts';

/** Of the addresses of serial logs. */
export const signature = 'sig=c2lnbmF0dXJlIG9mIHRoZSBkb3VibGU';

export interface Asked {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  body: unknown;
  fault: Fault | undefined;
}

export interface Manager {
  resources: Resources;
  operationMilliseconds: number;
  pageSize: number;
  origin: string;
  /** What Resource Graph sees while it lags. */
  indexed: readonly Resource[] | undefined;
}

export function answerManager(manager: Manager, asked: Asked): Answer {
  const { path, query, method } = asked;
  requireApiVersion(path, query.get('api-version') ?? '', manager.resources.world.apiVersions);
  if (method === 'POST' && path === '/providers/Microsoft.ResourceGraph/resources') {
    const { resources, pageSize, indexed } = manager;
    const { subscription } = resources.world;
    return answerGraph(asked.body, {
      subscription,
      pageSize,
      resources: indexed ?? resources.all(),
    });
  }
  const rest = pathInSubscription(manager, asked);
  for (const route of routes) {
    const match = route.pattern.exec(rest);
    if (match && route.method.includes(method)) return route.answer(manager, asked, match);
  }
  throw unknownPath(asked);
}

function pathInSubscription(manager: Manager, asked: Asked): string {
  const [, subscription, rest] = /^\/subscriptions\/([^/]+)(\/.*)$/i.exec(asked.path) ?? [];
  if (rest === undefined) throw unknownPath(asked);
  if (subscription === manager.resources.world.subscription) return rest;
  const message = `The subscription '${subscription}' could not be found.`;
  throw new Refusal(404, 'SubscriptionNotFound', message);
}

function unknownPath({ method, path }: Asked): Refusal {
  return new Refusal(400, 'DoubleDoesNotKnow', `${method} ${path} is not known to the double`);
}

interface Route {
  method: string;
  pattern: RegExp;
  answer: (manager: Manager, asked: Asked, match: RegExpExecArray) => Answer;
}

const group = String.raw`^\/resourceGroups\/([^/]+)\/providers`;
const kinds = String.raw`(Microsoft\.(?:Compute\/virtualMachines|Compute\/disks|Network\/networkInterfaces))`;
const images = String.raw`^\/providers\/Microsoft\.Compute\/locations\/([^/]+)\/publishers\/([^/]+)\/artifacttypes\/vmimage\/offers\/([^/]+)\/skus\/([^/]+)\/versions`;
const offers = String.raw`^\/providers\/Microsoft\.MarketplaceOrdering\/offerTypes\/virtualmachine\/publishers\/([^/]+)\/offers\/([^/]+)\/plans\/([^/]+)\/agreements\/current$`;

const routes: Route[] = [
  { method: 'GET', pattern: /\/(?:disk)?operations\/([^/]+)$/i, answer: operation },
  { method: 'GET', pattern: new RegExp(`${group}/${kinds}$`, 'i'), answer: listGroup },
  {
    method: 'GET',
    pattern: new RegExp(`${group}/Microsoft\\.Compute/virtualMachines/([^/]+)/instanceView$`, 'i'),
    answer: refuseView,
  },
  {
    method: 'POST',
    pattern: new RegExp(
      `${group}/Microsoft\\.Compute/virtualMachines/([^/]+)/retrieveBootDiagnosticsData$`,
      'i',
    ),
    answer: bootDiagnostics,
  },
  {
    method: 'GET,PUT,PATCH,DELETE',
    pattern: new RegExp(`${group}/${kinds}/([^/]+)$`, 'i'),
    answer: one,
  },
  {
    method: 'GET',
    pattern: new RegExp(
      `${group}/Microsoft\\.Network/virtualNetworks/([^/]+)/subnets/([^/]+)$`,
      'i',
    ),
    answer: subnet,
  },
  { method: 'GET', pattern: new RegExp(`${images}$`, 'i'), answer: versions },
  { method: 'GET', pattern: new RegExp(`${images}/([^/]+)$`, 'i'), answer: image },
  { method: 'GET,PUT', pattern: new RegExp(offers, 'i'), answer: agreement },
];

function operation({ resources }: Manager, _asked: Asked, [, id = '']: RegExpExecArray): Answer {
  const found = resources.operation(id);
  if (!found) throw new Refusal(404, 'OperationNotFound', `no operation ${id}`);
  const { status, error } = found;
  const isFailed = status === 'Failed';
  return { status: 200, body: { name: id, status, ...(isFailed && { error }) } };
}

function requireGroup({ resources }: Manager, name: string): void {
  if (resources.world.groups.includes(name.toLowerCase())) return;
  throw new Refusal(404, 'ResourceGroupNotFound', `Resource group '${name}' could not be found.`);
}

function typeOf(text: string): KnownType {
  const found = Object.values(types).find((type) => type.toLowerCase() === text.toLowerCase());
  if (!found) throw new Error(`${text} is no type`);
  return found;
}

function one(manager: Manager, asked: Asked, match: RegExpExecArray): Answer {
  const [, groupName = '', typeText = '', name = ''] = match;
  requireGroup(manager, groupName);
  const type = typeOf(typeText);
  const { resources, operationMilliseconds, origin } = manager;
  const { fault } = asked;
  const write = { resources, type, group: groupName, name, fault, operationMilliseconds, origin };
  if (asked.method === 'PUT') return put({ ...write, body: Object(asked.body) });
  if (asked.method === 'DELETE') return remove({ ...write, body: {} });
  if (asked.method === 'PATCH') return change(existing(manager, write), asked.body);
  const stale = fault?.kind === 'stale' ? before(resources, write) : undefined;
  const seen = stale ?? existing(manager, write);
  return { status: 200, body: shown(seen, asked.query.get('$expand')) };
}

function shown(resource: Resource, expand: string | null): object {
  const { properties, ...body } = bodyOf(resource);
  const view = expand === 'instanceView' ? { instanceView: viewOf(resource) } : {};
  return { ...body, properties: { ...Object(properties), ...view } };
}

/** Of all that may be changed, the driver changes these. */
function change(resource: Resource, body: unknown): Answer {
  const { tags, properties } = Object(body);
  const shape = properties === undefined ? shapes.tagsChange : shapes.belongingsChange;
  const fault = shape(body, 'body');
  if (fault !== undefined) throw new Refusal(400, 'InvalidRequestContent', fault);
  if (tags !== undefined) resource.tags = { ...tags };
  const sent = Object(resource.sent['properties']);
  for (const profile of ['storageProfile', 'networkProfile']) {
    Object.assign(Object(sent[profile]), properties?.[profile]);
  }
  return { status: 200, body: bodyOf(resource) };
}

/** What was there before it was made, which is nothing, or before it was deleted. */
function before(resources: Resources, { group: groupName, type, name }: Named): Resource {
  const id = resources.idOf(groupName, type, name);
  const found = resources.get(id) ?? resources.ghost(id);
  const isDeleted = !resources.get(id) || found?.provisioningState === 'Deleting';
  if (found && isDeleted) return { ...found, provisioningState: 'Succeeded' };
  throw new Refusal(404, 'ResourceNotFound', `The Resource '${type}/${name}' was not found.`);
}

interface Named {
  group: string;
  type: string;
  name: string;
}

function existing({ resources }: Manager, { group: groupName, type, name }: Named): Resource {
  const found = resources.get(resources.idOf(groupName, type, name));
  if (found) return found;
  const message = `The Resource '${type}/${name}' under resource group '${groupName}' was not found.`;
  throw new Refusal(404, 'ResourceNotFound', message);
}

/** The role that Gardener documents for its shoots has no `instanceView/read`. */
function refuseView(): Answer {
  const action = 'Microsoft.Compute/virtualMachines/instanceView/read';
  const message = `The client does not have authorization to perform action '${action}' over scope.`;
  throw new Refusal(403, 'AuthorizationFailed', message);
}

function viewOf({ runs, failure, provisioningState }: Resource): object {
  const power = runs ? [{ code: 'PowerState/running' }] : [];
  const code = `ProvisioningState/${provisioningState.toLowerCase()}${failure ? `/${failure.code}` : ''}`;
  return { statuses: [{ code, ...(failure && { message: failure.message }) }, ...power] };
}

/** The address has a signature, and no other credentials may go there. */
function bootDiagnostics(manager: Manager, { query }: Asked, match: RegExpExecArray): Answer {
  const [, groupName = '', name = ''] = match;
  requireGroup(manager, groupName);
  const vm = existing(manager, { group: groupName, type: types.vm, name });
  const minutes = Number(query.get('sasUriExpirationTimeInMinutes') ?? 120);
  if (!(minutes >= 1 && minutes <= 1_440)) {
    throw new Refusal(400, 'InvalidParameter', `sasUriExpirationTimeInMinutes: ${minutes}`);
  }
  const origin = vm.logScheme ? manager.origin.replace('https:', 'http:') : manager.origin;
  const log = `${origin}/_storage${vm.id}?${signature}`;
  return {
    status: 200,
    body: { ...(vm.serial !== undefined && { serialConsoleLogBlobUri: log }) },
  };
}

function listGroup(manager: Manager, { query, path }: Asked, match: RegExpExecArray): Answer {
  const [, groupName = '', typeText = ''] = match;
  requireGroup(manager, groupName);
  const all = manager.resources
    .all()
    .filter(
      ({ type, group: of }) =>
        type.toLowerCase() === typeText.toLowerCase() &&
        of.toLowerCase() === groupName.toLowerCase(),
    );
  const from = Number(query.get('$skiptoken') ?? 0);
  const next = from + manager.pageSize;
  const version = query.get('api-version');
  const link = `${manager.origin}${path}?api-version=${version}&$skiptoken=${next}`;
  const value = all.slice(from, next).map(bodyOf);
  return { status: 200, body: { value, ...(next < all.length && { nextLink: link }) } };
}

function subnet(manager: Manager, _asked: Asked, match: RegExpExecArray): Answer {
  const [, groupName = '', network = '', name = ''] = match;
  requireGroup(manager, groupName);
  const key = `${groupName}/${network}/${name}`.toLowerCase();
  if (!manager.resources.world.subnets.includes(key)) {
    throw new Refusal(404, 'NotFound', `Subnet ${name} is not found in network ${network}.`);
  }
  const parent = manager.resources.idOf(groupName, 'Microsoft.Network/virtualNetworks', network);
  const properties = { addressPrefix: '10.0.0.0/16', provisioningState: 'Succeeded' };
  return { status: 200, body: { id: `${parent}/subnets/${name}`, name, properties } };
}

function versions({ resources }: Manager, { query }: Asked, match: RegExpExecArray): Answer {
  const [, location, ...parts] = match;
  const known = Object.keys(resources.world.images)
    .filter((urn) => urn.startsWith(`${parts.join(':')}:`))
    .map((urn) => urn.split(':').at(-1) ?? '')
    .toSorted();
  const ordered = query.get('$orderby') === 'name desc' ? known.toReversed() : known;
  const top = Number(query.get('$top') ?? ordered.length);
  const body = ordered.slice(0, top).map((name) => ({ name, location, id: `/${name}` }));
  return { status: 200, body };
}

function image({ resources }: Manager, _asked: Asked, match: RegExpExecArray): Answer {
  const [, location = '', publisher = '', offer = '', sku = '', version = ''] = match;
  const known = resources.world.images[[publisher, offer, sku, version].join(':')];
  if (!known) {
    throw new Refusal(404, 'NotFound', `Artifact: VMImage was not found: ${publisher}:${offer}.`);
  }
  const id = `/Subscriptions/${resources.world.subscription}/Providers/Microsoft.Compute/Locations/${location}/Publishers/${publisher}/ArtifactTypes/VMImage/Offers/${offer}/Skus/${sku}/Versions/${version}`;
  const plan = { publisher, name: sku, product: offer };
  const properties = { ...(known.plan && { plan }), osDiskImage: { operatingSystem: 'Linux' } };
  return { status: 200, body: { id, name: version, location, properties } };
}

function agreement({ resources }: Manager, asked: Asked, match: RegExpExecArray): Answer {
  const [, publisher = '', product = '', plan = ''] = match;
  const key = [publisher, product, plan].join(':');
  const { accepted } = resources.world;
  if (asked.method === 'PUT') {
    const fault = shapes.terms(asked.body, 'body');
    if (fault !== undefined) throw new Refusal(400, 'BadRequest', fault);
    if (Object(asked.body).properties.signature !== `signature of ${key}`) {
      throw new Refusal(400, 'BadRequest', 'the signature is not that of the terms');
    }
    accepted.add(key);
  }
  const properties = {
    publisher,
    product,
    plan,
    signature: `signature of ${key}`,
    accepted: accepted.has(key),
  };
  return { status: 200, body: { name: plan, properties } };
}
