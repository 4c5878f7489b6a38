/** The part of compute/v1 that the double serves. */
import type { HttpAnswer } from './answers.ts';
import { refuse } from './answers.ts';
import type { Cloud, Place, StoredInstance, StoredOperation } from './cloud.ts';
import { fingerprintOf, isAt } from './cloud.ts';
import type { Fault, FaultedCall } from './faults.ts';
import { applyMask, unknownFieldIn } from './field-mask.ts';
import { checkedInstance, checkLabels } from './rules.ts';
import { faultsOf } from './shape.ts';

export interface ComputeRequest {
  method: string;
  url: URL;
  fieldMask: string | undefined;
  body: unknown;
  faults: readonly Fault[];
}

export interface ComputeWorld {
  cloud: Cloud;
  now: () => number;
}

interface Route extends Place {
  kind: string;
  name: string | undefined;
  verb: string | undefined;
}

const paths =
  /^\/compute\/v1\/projects\/([a-z0-9.:-]+)\/zones\/([a-z0-9-]+)\/(instances|operations)(?:\/([a-z0-9-]+))?(?:\/(setLabels|serialPort))?$/;

function routeOf(url: URL): Route {
  const [, project, zone, kind, name, verb] = paths.exec(url.pathname) ?? [];
  if (project === undefined || zone === undefined || kind === undefined) {
    return refuse(404, 'notFound', `no such path: ${url.pathname}`);
  }
  return { project, zone, kind, name, verb };
}

/** What faults are ordered by. */
export function callOf(method: string, url: URL, body: unknown): FaultedCall {
  const { kind, name, verb } = routeOf(url);
  if (kind === 'operations') return { operation: 'operation' };
  if (verb === 'serialPort') return { operation: 'serialPort', name };
  if (verb === 'setLabels') return { operation: 'setLabels', name };
  if (method === 'POST') return { operation: 'insert', name: nameIn(body) };
  if (method === 'DELETE') return { operation: 'delete', name };
  return name === undefined ? { operation: 'list' } : { operation: 'get', name };
}

function nameIn(body: unknown): string | undefined {
  const { name } = Object(body);
  return typeof name === 'string' ? name : undefined;
}

export function serve(world: ComputeWorld, request: ComputeRequest): HttpAnswer {
  const { cloud, now } = world;
  cloud.advance(now());
  const route = routeOf(request.url);
  const { fieldMask } = request;
  if (fieldMask !== undefined) requireMask(kindOf(route), fieldMask);
  const body = answerTo(world, request, route);
  if (fieldMask === undefined) return { status: 200, body };
  return { status: 200, body: Object(applyMask(body, fieldMask)) };
}

function kindOf({ kind, name, verb }: Route): string {
  if (verb === 'serialPort') return 'SerialPortOutput';
  if (kind === 'operations') return 'Operation';
  return name === undefined ? 'InstanceList' : 'Instance';
}

function requireMask(kind: string, mask: string): void {
  const unknown = unknownFieldIn(kind, mask);
  if (unknown === undefined) return;
  refuse(400, 'invalidParameter', `Invalid field selection ${unknown}`);
}

function answerTo(world: ComputeWorld, request: ComputeRequest, route: Route): object {
  const { cloud, now } = world;
  const { method, url, faults } = request;
  const { kind, name, verb } = route;
  const requestId = requestIdOf(url);
  const form = [kind, ...(name === undefined ? [] : ['NAME']), ...(verb ? [verb] : [])];
  switch (`${method} ${form.join('/')}`) {
    case 'POST instances': {
      requireParameters(url, ['requestId']);
      const instance = checkedInstance(request.body, route.zone);
      const begin = { requestId, now: now(), faults };
      return shownOperation(cloud.insert(place(route), instance, begin), now());
    }
    case 'GET instances':
      requireParameters(url, ['maxResults', 'pageToken', 'filter', 'orderBy']);
      return listed(world, route, url);
    case 'GET instances/NAME':
      requireParameters(url, []);
      return shownInstance(cloud.find(place(route), nameOf(route), now()));
    case 'GET instances/NAME/serialPort':
      requireParameters(url, ['port', 'start']);
      return serialOutput(cloud.find(place(route), nameOf(route), now()), url);
    case 'DELETE instances/NAME':
      requireParameters(url, ['requestId']);
      return shownOperation(
        cloud.delete(place(route), nameOf(route), { requestId, now: now(), faults }),
        now(),
      );
    case 'POST instances/NAME/setLabels':
      requireParameters(url, ['requestId']);
      return labelled(world, request, route);
    case 'GET operations/NAME':
      requireParameters(url, []);
      return shownOperation(operationAt(cloud, route), now());
    default:
      return refuse(404, 'notFound', `${method} ${url.pathname} is not served`);
  }
}

/** Bytes; a negative start counts from the end. */
function serialOutput({ serial = '' }: StoredInstance, url: URL): object {
  const all = Buffer.from(serial);
  const start = Number(url.searchParams.get('start') ?? 0);
  const from = start < 0 ? Math.max(all.length + start, 0) : start;
  const contents = all.subarray(from).toString('utf8');
  return { kind: 'compute#serialPortOutput', contents, start: from, next: all.length };
}

function nameOf({ name = '' }: Route): string {
  return name;
}

function place({ project, zone }: Route): Place {
  return { project, zone };
}

function requireParameters(url: URL, known: readonly string[]): void {
  const unknown = [...url.searchParams.keys()].filter((key) => key !== '' && !known.includes(key));
  if (unknown.length > 0) refuse(400, 'invalidParameter', `unknown: ${unknown.join(', ')}`);
}

const zero = '00000000-0000-0000-0000-000000000000';

function requestIdOf(url: URL): string | undefined {
  const requestId = url.searchParams.get('requestId');
  if (requestId === null) return undefined;
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(requestId);
  if (!isUuid || requestId === zero) refuse(400, 'invalid', `requestId: ${requestId}`);
  return requestId;
}

function listed({ cloud, now }: ComputeWorld, route: Route, url: URL): object {
  if (url.searchParams.has('filter')) refuse(400, 'invalid', 'the double has no filter');
  const size = Number(url.searchParams.get('maxResults') ?? '500');
  if (!(size >= 1 && size <= 500)) refuse(400, 'invalid', `maxResults: ${size}`);
  const start = Number(url.searchParams.get('pageToken') ?? '0');
  if (!Number.isInteger(start)) refuse(400, 'invalid', 'pageToken');
  const all = cloud.shown(route, now());
  const items = all.slice(start, start + size).map(shownInstance);
  const next = start + size < all.length ? { nextPageToken: String(start + size) } : {};
  const { project, zone } = route;
  return {
    kind: 'compute#instanceList',
    id: `projects/${project}/zones/${zone}/instances`,
    ...(items.length > 0 && { items }),
    ...next,
  };
}

function labelled({ cloud, now }: ComputeWorld, request: ComputeRequest, route: Route): object {
  const { body, faults } = request;
  const wrong = faultsOf('InstancesSetLabelsRequest', body);
  if (wrong.length > 0) refuse(400, 'invalid', wrong.join('; '));
  const { labels = {}, labelFingerprint: fingerprint } = Object(body);
  checkLabels({ labels });
  const begin = { requestId: requestIdOf(request.url), now: now(), faults };
  const labelling = { labels, fingerprint, begin };
  return shownOperation(cloud.setLabels(place(route), nameOf(route), labelling), now());
}

function operationAt(cloud: Cloud, route: Route): StoredOperation {
  const operation = cloud.operations.get(nameOf(route));
  if (operation && isAt(operation, route)) return operation;
  const { project, zone, name } = route;
  const path = `projects/${project}/zones/${zone}/operations/${name}`;
  return refuse(404, 'notFound', `The resource '${path}' was not found`);
}

function shownInstance(instance: StoredInstance): object {
  const { id, status, body, creationTimestamp, ...at } = instance;
  return {
    ...body,
    kind: 'compute#instance',
    id,
    status,
    creationTimestamp,
    labelFingerprint: fingerprintOf(instance),
    zone: `https://www.googleapis.com/compute/v1/projects/${at.project}/zones/${at.zone}`,
    networkInterfaces: body.networkInterfaces.map((card) => ({
      ...card,
      networkIP: '10.0.0.2',
      ...(card.accessConfigs && {
        accessConfigs: [{ ...card.accessConfigs[0], natIP: '192.0.2.2' }],
      }),
    })),
  };
}

function shownOperation(operation: StoredOperation, now: number): object {
  const { id, name, operationType, target, errors, errorStatus } = operation;
  const { insertedAt, startsAt, doneAt } = operation;
  const isDone = doneAt <= now;
  const hasFailed = isDone && errors.length > 0;
  return {
    kind: 'compute#operation',
    id,
    name,
    operationType,
    status: isDone ? 'DONE' : startsAt <= now ? 'RUNNING' : 'PENDING',
    progress: isDone ? 100 : percent(now - startsAt, doneAt - startsAt),
    targetId: target.id,
    insertTime: new Date(insertedAt).toISOString(),
    ...(isDone && { endTime: new Date(doneAt).toISOString() }),
    zone: `https://www.googleapis.com/compute/v1/projects/${target.project}/zones/${target.zone}`,
    ...(hasFailed && { error: { errors }, httpErrorStatusCode: errorStatus }),
  };
}

function percent(part: number, whole: number): number {
  return Math.max(0, Math.floor((100 * part) / whole));
}
