/**
 * A double of DigitalOcean's API on the wire: droplets by the rules of its published description
 * (github.com/digitalocean/openapi: specification/resources/droplets and /shared). Names are not
 * unique, nothing refuses a second create, and tags come after it. What it lacks: scopes of tokens,
 * actions, prices.
 */
import { randomUUID } from 'node:crypto';
import { fieldFaults, HandClock } from '../rest/field-rules.ts';
import { startRestDouble } from '../rest/rest-double.ts';
import type { RestDouble, RestReply, RestRequest } from '../rest/rest-double.ts';
import { Refusal } from '../rest/refusal.ts';
import { Team, type StoredDroplet } from './team.ts';
import { createRules, droplet, requireCatalog } from './droplets.ts';

/** Its URL is for MILLWRIGHT_DIGITALOCEAN_ENDPOINT. */
export interface DigitalOceanDouble extends RestDouble {
  team: Team;
  clock: HandClock;
}

export const token = 'dop_v1_of_the_double';

export async function startDigitalOceanDouble(port = 0): Promise<DigitalOceanDouble> {
  const clock = new HandClock();
  const team = new Team(clock);
  const server = await startRestDouble((request) => answer(team, request), port);
  return { ...server, team, clock };
}

function answer(team: Team, request: RestRequest): RestReply {
  const requestId = randomUUID();
  try {
    team.goOn();
    const said = route(team, request);
    return { ...said, headers: { 'x-request-id': requestId, ...team.limitHeaders() } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const headers = { 'x-request-id': requestId, ...team.limitHeaders() };
    const { status, code: id, message } = error;
    return { status, body: { id, message, request_id: requestId }, headers };
  }
}

function route(team: Team, request: RestRequest): RestReply {
  const { method, path, headers } = request;
  if (headers.authorization !== `Bearer ${token}`) {
    throw new Refusal(401, 'unauthorized', 'Unable to authenticate you');
  }
  team.take();
  if (request.body === null) throw new Refusal(400, 'bad_request', 'error parsing request body');
  const [, version, collection, id, ...rest] = path.split('/');
  if (version !== 'v2' || collection !== 'droplets') throw notFound();
  if (id === undefined) {
    if (method === 'POST') return create(team, Object(request.body));
    if (method === 'GET') return list(team, request);
    throw notFound();
  }
  const found = team.droplets.get(Number(id));
  if (!found) throw notFound();
  if (rest.length > 0) return associated(team, request, { found, rest });
  if (method === 'GET') return { status: 200, body: { droplet: droplet(found) } };
  if (method !== 'DELETE') throw notFound();
  team.destroy(found);
  return { status: 204 };
}

const notFound = (): Refusal =>
  new Refusal(404, 'not_found', 'The resource you were accessing could not be found.');

const unprocessable = (message: string): Refusal =>
  new Refusal(422, 'unprocessable_entity', message);

function create(team: Team, body: Readonly<Record<string, unknown>>): RestReply {
  const [fault] = fieldFaults(body, createRules);
  if (fault) throw unprocessable(`${fault.name} ${fault.words}`);
  requireCatalog(team, body);
  if (team.droplets.size >= team.dropletMax) {
    throw unprocessable('creating this/these droplet(s) will exceed your droplet limit');
  }
  const made = team.add(body);
  const action = { id: team.nextId(), rel: 'create' };
  const href = `https://api.digitalocean.com/v2/actions/${action.id}`;
  // The description shows the tags in this answer.
  const shown = { ...droplet(made), tags: made.tags };
  return { status: 202, body: { droplet: shown, links: { actions: [{ ...action, href }] } } };
}

function list(team: Team, { query }: RestRequest): RestReply {
  const name = query.get('name')?.toLowerCase();
  const tag = query.get('tag_name');
  const isGpu = query.get('type') === 'gpus';
  if (name !== undefined && tag !== null) {
    throw unprocessable('name can not be combined with tag_name');
  }
  const perPage = Number(query.get('per_page') ?? 20);
  const page = Number(query.get('page') ?? 1);
  if (!(perPage >= 1 && perPage <= 200)) throw unprocessable('per_page must be between 1 and 200');
  const all = team
    .listed()
    .filter(
      (one) =>
        (name === undefined || one.name.toLowerCase() === name) &&
        (tag === null || one.shownTags.includes(tag)) &&
        String(one.body['size']).startsWith('gpu-') === isGpu,
    );
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const linkTo = (to: number): string => {
    const search = new URLSearchParams(query);
    search.set('page', String(to));
    return `https://api.digitalocean.com/v2/droplets?${search.toString()}`;
  };
  const pages = {
    ...(page > 1 && { first: linkTo(1), prev: linkTo(page - 1) }),
    ...(page < last && { next: linkTo(page + 1), last: linkTo(last) }),
  };
  return {
    status: 200,
    body: {
      droplets: all.slice((page - 1) * perPage, page * perPage).map(droplet),
      links: Object.keys(pages).length === 0 ? {} : { pages },
      meta: { total: all.length },
    },
  };
}

const kinds = ['reserved_ips', 'floating_ips', 'snapshots', 'volumes', 'volume_snapshots'];

function associated(
  team: Team,
  { method, body }: RestRequest,
  { found, rest }: { found: StoredDroplet; rest: readonly string[] },
): RestReply {
  const [what, how, ...more] = rest;
  if (what !== 'destroy_with_associated_resources' || more.length > 0) throw notFound();
  if (method === 'GET' && how === undefined) {
    return {
      status: 200,
      body: Object.fromEntries(kinds.map((kind) => [kind, found[kindOf(kind)]])),
    };
  }
  if (method !== 'DELETE' || how !== 'selective') throw notFound();
  const asked: Readonly<Record<string, unknown>> = Object(body);
  for (const [kind, ids] of Object.entries(asked)) {
    if (!kinds.includes(kind) || !Array.isArray(ids)) throw unprocessable(`${kind} is not valid`);
    team.destroyedWith.push(...ids.map((id) => `${kind}/${id}`));
  }
  team.destroy(found);
  return { status: 202 };
}

/** Reserved IPs were once called floating IPs. */
function kindOf(kind: string): 'volumes' | 'others' {
  return kind === 'volumes' ? 'volumes' : 'others';
}
