/**
 * Keystone, Nova, Neutron, Glance and Cinder in memory, behind one port, as their API reference
 * describes them. What they are asked stays; the real services are in test/support/openstack.ts.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening, type Listening } from '../../support/listening.ts';
import { keptAlive } from '../../../deploy/local/virtual-cloud/http-server.ts';
import { createCompute } from './compute.ts';
import { Refusal, type Answer, type Asked, type World } from './answers.ts';
import { createNetwork } from './network.ts';
import { createVolumes } from './volumes.ts';
import { tokenFor, type AccountRules } from './identity.ts';

export interface DoubleOptions extends Partial<AccountRules> {
  /** Reads of a server until it is built, or gone. Default 1. */
  slowness?: number;
  /** False: Neutron keeps MAC addresses for owners of networks. Default true. */
  allowsMac?: boolean;
}

export interface OpenStackDouble extends Listening {
  /** Each call that changes something, with its body. */
  asked: Asked[];
  world: World;
}

export const region = 'RegionOne';

export async function startOpenStackDouble(options: DoubleOptions = {}): Promise<OpenStackDouble> {
  const { slowness = 1, allowsMac = true, ...rules } = options;
  const world: World = {
    servers: new Map(),
    ports: new Map(),
    volumes: new Map(),
    floatingIPs: new Map(),
    tokens: new Set(),
    made: [],
  };
  const asked: Asked[] = [];
  const services = {
    compute: createCompute(world, slowness),
    networking: createNetwork(world, allowsMac),
    volume: createVolumes(world, slowness),
    image: ({ query }: Asked): Answer => {
      const images = [{ id: '5d1b2b3c-0000-4000-8000-00000000000a', name: 'linux' }];
      const name = query.get('name');
      return { status: 200, body: { images: images.filter((one) => one.name === name) } };
    },
  };
  const answer = (call: Asked, token: string, origin: string): Answer => {
    const [, service = '', ...rest] = call.path.split('/');
    if (service === 'identity') return tokenFor(call, { origin, world, rules });
    const handle = Object.entries(services).find(([name]) => name === service)?.[1];
    if (!handle) return { status: 404, body: 'nothing here' };
    if (!world.tokens.has(token)) {
      const message = 'The request you have made requires authentication.';
      return { status: 401, body: { error: { code: 401, title: 'Unauthorized', message } } };
    }
    const start = service === 'volume' ? 2 : 1;
    return handle({ ...call, path: `/${rest.slice(start).join('/')}` });
  };
  let count = 0;
  const server = createServer(keptAlive, (request, response) => {
    void (async () => {
      const call = await askedBy(request);
      if (call.method !== 'GET') asked.push(call);
      const origin = `http://${request.headers.host}`;
      const { status, body, headers } = answered(() =>
        answer(call, String(request.headers['x-auth-token']), origin),
      );
      count += 1;
      const id = { 'x-openstack-request-id': `req-${count}` };
      response.writeHead(status, { 'content-type': 'application/json', ...id, ...headers });
      response.end(body === undefined ? '' : JSON.stringify(body));
    })();
  });
  return {
    ...(await listening(server)),
    asked,
    world,
  };
}

function answered(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

async function askedBy(request: IncomingMessage): Promise<Asked> {
  const url = new URL(request.url ?? '/', 'http://double');
  const body = await text(request);
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    body: body === '' ? {} : Object(JSON.parse(body)),
  };
}
