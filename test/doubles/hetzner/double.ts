/**
 * A double of Hetzner Cloud's API on the wire: servers, floating IPs and actions in their published
 * form, with labels, pages, locks, limits and codes (hcloud-go: schema, error.go, labels.go). What
 * it lacks: permissions beyond "read only", prices, and traffic; it does not know which codes go
 * with which HTTP status where the codes alone are published.
 */
import { randomUUID } from 'node:crypto';
import { HandClock } from '../rest/field-rules.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';
import { Refusal } from './answers.ts';
import { floatingIpRoutes } from './floating-ips.ts';
import { pageOf, readOnly } from './routes.ts';
import { serverRoutes } from './servers.ts';
import { images, locations, networks, serverTypes, sshKeys } from './catalog.ts';
import { Project } from './project.ts';

/** Its URL is for MILLWRIGHT_HCLOUD_ENDPOINT. */
export interface HetznerDouble extends RestDouble {
  project: Project;
  clock: HandClock;
}

export const token = 'a-token-of-the-double';
export const readOnlyToken = 'a-token-that-reads';

export async function startHetznerDouble(port = 0): Promise<HetznerDouble> {
  const clock = new HandClock();
  const project = new Project(clock);
  const server = await startRestDouble((request) => answer(project, request), port);
  return { ...server, url: `${server.url}/v1`, project, clock };
}

function answer(project: Project, request: RestRequest): RestReply {
  const headers = { 'X-Correlation-Id': randomUUID(), ...project.limit.headers() };
  try {
    authenticate(request);
    project.limit.take();
    project.goOn();
    if (request.body === null) throw new Refusal(400, 'json_error', 'invalid JSON in request');
    return { ...route(project, request), headers };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: error.body(), headers };
  }
}

function authenticate({ headers: { authorization }, method }: RestRequest): void {
  if (authorization === `Bearer ${token}`) return;
  if (authorization !== `Bearer ${readOnlyToken}`) {
    throw new Refusal(401, 'unauthorized', 'unable to authenticate');
  }
  if (method === 'GET') return;
  throw new Refusal(403, 'token_readonly', 'the token is only allowed to perform GET requests');
}

const catalog: Readonly<Record<string, readonly { id: number; name: string | null }[]>> = {
  locations,
  server_types: serverTypes,
  images,
  ssh_keys: sshKeys,
  networks,
};

function route(project: Project, request: RestRequest): RestReply {
  const [, , collection = '', id, ...rest] = request.path.split('/');
  const asked = { request, id: id === undefined ? undefined : Number(id), rest };
  if (collection === 'servers') return serverRoutes(project, asked);
  if (collection === 'floating_ips') return floatingIpRoutes(project, asked);
  if (collection === 'actions' && asked.id !== undefined && request.method === 'GET') {
    return { status: 200, body: { action: project.actionOf(asked.id) } };
  }
  if (collection === 'datacenters') {
    const words = 'the functionality was removed';
    throw new Refusal(410, 'deprecated_api_endpoint', words, { announcement: 'a page' });
  }
  const things = catalog[collection];
  if (!things) throw new Refusal(404, 'not_found', 'requested resource not found');
  return asked.id === undefined && request.method === 'GET'
    ? pageOf(request, collection, things)
    : readOnly(asked, collection, things);
}
