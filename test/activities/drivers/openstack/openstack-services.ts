/** The driver against OpenStack's own services, through the fault proxy. */
import type { RestDriverLimits } from '../../../../activities/drivers/frame/rest-driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import { startOpenStack, type OpenStack } from '../../../support/openstack.ts';
import { startFaultProxy, type FaultProxy } from '../frame/fault-proxy.ts';
import { aDriverFor, aSecret, aSpec, openStackRequest } from './openstack-world.ts';

export interface Services extends AsyncDisposable {
  openStack: OpenStack;
  proxy: FaultProxy;
  aDriver: (limits?: RestDriverLimits) => Driver;
  /** Changes to the spec of a class of these services. */
  spec: (more?: object) => object;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** Of this name, as the services show them to their administrator. */
  servers: (name: string) => Promise<Record<string, unknown>[]>;
  /** All that is there of the name, in words. */
  left: (name: string) => Promise<string[]>;
  ask: (service: keyof OpenStack['urls'], path: string, call?: Ask) => Promise<unknown>;
}

interface Ask {
  method: string;
  body?: object;
}

export async function startServices(): Promise<Services> {
  const openStack = await startOpenStack();
  const { urls, known } = openStack;
  const origins = new Map(Object.values(urls).map((url) => [new URL(url).pathname, url]));
  const proxy = await startFaultProxy((path) => origins.get(`/${path.split('/')[1]}`) ?? '');
  const token = await tokenOf(urls.keystone, 'machines');
  const ask: Services['ask'] = async (service, path, { method, body } = { method: 'GET' }) => {
    const response = await fetch(`${urls[service]}${path}`, {
      method,
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const listed = async (
    service: keyof OpenStack['urls'],
    path: string,
    key: string,
  ): Promise<Record<string, unknown>[]> => {
    const list: unknown = Object(await ask(service, path))[key];
    return (Array.isArray(list) ? list : []).map((one): Record<string, unknown> => Object(one));
  };
  const { networkID, subnetIDs, projectID } = known;
  const spec = (more: object = {}): object =>
    aSpec({ networkID, subnetIDs, podNetworkCIDRs: ['100.64.0.0/12', 'fd00:10::/64'], ...more });
  const secret = { ...aSecret, password: 'machines' };
  const servers: Services['servers'] = async (name) => {
    const all = await listed('nova', '/v2.1/servers/detail', 'servers');
    return all.filter((one) => one['name'] === name);
  };
  return {
    openStack,
    proxy,
    aDriver: (limits) => aDriverFor(proxy.url, { firstPauseSeconds: 0.3, ...limits }),
    spec,
    request: (name, more) => openStackRequest(name, { secret, providerSpec: spec(), ...more }),
    servers,
    async left(name) {
      const isOfName = (one: Record<string, unknown>): boolean =>
        String(one['name']).split('_')[0] === name;
      const ports = await listed('neutron', '/v2.0/ports', 'ports');
      const volumes = await listed('cinder', `/v3/${projectID}/volumes/detail`, 'volumes');
      const words = (kind: string, all: Record<string, unknown>[]): string[] =>
        all.filter(isOfName).map((one) => `${kind} ${String(one['name'])}`);
      const found = await servers(name);
      return [...words('server', found), ...words('port', ports), ...words('volume', volumes)];
    },
    ask,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await openStack[Symbol.asyncDispose]();
    },
  };
}

async function tokenOf(keystone: string, user: string): Promise<string> {
  const domain = { id: 'default' };
  const password = { user: { name: user, domain, password: user } };
  const auth = {
    identity: { methods: ['password'], password },
    scope: { project: { name: user, domain } },
  };
  const response = await fetch(`${keystone}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth }),
  });
  return response.headers.get('x-subject-token') ?? '';
}
