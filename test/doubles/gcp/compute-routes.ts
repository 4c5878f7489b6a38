/** The part of compute/v1 that the double serves. */
import type { HttpAnswer } from './answers.ts';
import { refuse } from './answers.ts';
import type { Cloud, Place, StoredInstance, StoredOperation } from './cloud.ts';
import { isAt } from './cloud.ts';
import type { Fault, FaultedCall } from './faults.ts';
import { applyMask } from './field-mask.ts';
import { checkedInstance } from './rules.ts';

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
  /** How long a `wait` may hold a request, in milliseconds; with Google two minutes. */
  waitMilliseconds: number;
}

interface Route extends Place {
  kind: string;
  name: string | undefined;
  verb: string | undefined;
}

const paths =
  /^\/compute\/v1\/projects\/([a-z0-9.:-]+)\/zones\/([a-z0-9-]+)\/(instances|operations)(?:\/([a-z0-9-]+))?(?:\/(wait))?$/;

function routeOf(url: URL): Route {
  const [, project, zone, kind, name, verb] = paths.exec(url.pathname) ?? [];
  if (project === undefined || zone === undefined || kind === undefined) {
    return refuse(404, 'notFound', `no such path: ${url.pathname}`);
  }
  return { project, zone, kind, name, verb };
}

/** What faults are ordered by. */
export function callOf(method: string, url: URL, body: unknown): FaultedCall {
  const { kind, name } = routeOf(url);
  if (kind === 'operations') return { operation: 'wait' };
  if (method === 'POST') return { operation: 'insert', name: nameIn(body) };
  if (method === 'DELETE') return { operation: 'delete', name };
  return name === undefined ? { operation: 'list' } : { operation: 'get', name };
}

function nameIn(body: unknown): string | undefined {
  const { name } = Object(body);
  return typeof name === 'string' ? name : undefined;
}

export async function serve(world: ComputeWorld, request: ComputeRequest): Promise<HttpAnswer> {
  const { cloud, now } = world;
  cloud.advance(now());
  const body = await answerTo(world, request, routeOf(request.url));
  const { fieldMask } = request;
  if (fieldMask === undefined) return { status: 200, body };
  return { status: 200, body: Object(applyMask(body, fieldMask)) };
}

async function answerTo(
  world: ComputeWorld,
  request: ComputeRequest,
  route: Route,
): Promise<object> {
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
      return listed(cloud, route, url);
    case 'GET instances/NAME':
      requireParameters(url, []);
      return shownInstance(cloud.find(place(route), nameOf(route)));
    case 'DELETE instances/NAME':
      requireParameters(url, ['requestId']);
      return shownOperation(
        cloud.delete(place(route), nameOf(route), { requestId, now: now(), faults }),
        now(),
      );
    case 'GET operations/NAME':
    case 'POST operations/NAME/wait':
      requireParameters(url, []);
      return await waited(world, route);
    default:
      return refuse(404, 'notFound', `${method} ${url.pathname} is not served`);
  }
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

function listed(cloud: Cloud, route: Route, url: URL): object {
  if (url.searchParams.has('filter')) refuse(400, 'invalid', 'the double has no filter');
  const size = Number(url.searchParams.get('maxResults') ?? '500');
  if (!(size >= 1 && size <= 500)) refuse(400, 'invalid', `maxResults: ${size}`);
  const start = Number(url.searchParams.get('pageToken') ?? '0');
  if (!Number.isInteger(start)) refuse(400, 'invalid', 'pageToken');
  const all = cloud.instances.filter((instance) => isAt(instance, route));
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

async function waited(
  { cloud, now, waitMilliseconds }: ComputeWorld,
  route: Route,
): Promise<object> {
  const operation = cloud.operations.get(route.name ?? '');
  if (!operation || !isAt(operation, route)) {
    return refuse(404, 'notFound', `The resource '${route.name}' was not found`);
  }
  const left = operation.doneAt - now();
  if (route.verb && left > 0) {
    const held = Math.min(left, waitMilliseconds);
    await new Promise((resolve) => setTimeout(resolve, held));
    cloud.advance(now());
  }
  return shownOperation(operation, now());
}

function shownInstance({ id, status, body, creationTimestamp, ...at }: StoredInstance): object {
  return {
    ...body,
    kind: 'compute#instance',
    id,
    status,
    creationTimestamp,
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
  const { id, name, operationType, target, error, startsAt, doneAt } = operation;
  const isDone = doneAt <= now;
  return {
    kind: 'compute#operation',
    id,
    name,
    operationType,
    status: isDone ? 'DONE' : startsAt <= now ? 'RUNNING' : 'PENDING',
    progress: isDone ? 100 : 0,
    targetId: target.id,
    zone: `https://www.googleapis.com/compute/v1/projects/${target.project}/zones/${target.zone}`,
    ...(isDone && error && { error: { errors: [error] }, httpErrorStatusCode: 400 }),
  };
}
