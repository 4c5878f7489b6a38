import { isMadeByOsm } from '../../../activities/front/made-by-osm.ts';
import { aSecret } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const ref = { namespace: 'kube-system', name: 'pool' };
const asking = { annotations: { 'k8c.io/operating-system-profile': 'osp-ubuntu' } };
const api = '/apis/operatingsystemmanager.k8c.io/v1alpha1';
const secretOf = (namespace: string): object =>
  aSecret({}, { name: `pool-${namespace}-bootstrap-config`, namespace: 'cloud-init-settings' });

/** Of a server whose discovery names `plurals`. */
class Server extends InMemoryClient {
  plurals: string[] = [];

  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    if (path !== api || this.plurals.length === 0) return await super.get(path);
    return { resources: this.plurals.map((name) => ({ name })) };
  }
}

/** Reads of Secrets are refused. */
const refused = (code: number) => ({
  fault: ({ path }: { path: string }) =>
    path.includes('/secrets/') ? { code, reason: 'Refused' } : undefined,
});

test.each<{ what: string; given: Partial<Server>; secret?: object; asks?: false; is: boolean }>([
  { what: 'its API is served', given: { plurals: ['operatingsystemprofiles'] }, is: true },
  {
    what: 'its API is served, and the deployment names no profile',
    given: { plurals: ['operatingsystemprofiles'] },
    asks: false,
    is: false,
  },
  { what: 'its Secret is there', given: {}, secret: secretOf('kube-system'), is: true },
  { what: 'neither is', given: {}, is: false },
  { what: 'its group is served for another kind', given: { plurals: ['others'] }, is: false },
  {
    what: 'the Secret of another deployment is there',
    given: {},
    secret: secretOf('default'),
    is: false,
  },
  { what: 'its Secrets may not be read', given: refused(403), is: false },
])('$what', async ({ given, secret, asks, is }) => {
  const server = Object.assign(new Server(...(secret ? [secret] : [])), given);
  expect(await isMadeByOsm(server, { ...ref, ...(asks ?? asking) })).toBe(is);
});

test('an answer that did not come is no answer, and discovery is asked once in a while', async () => {
  const server = Object.assign(new Server(), refused(500));
  await expect(isMadeByOsm(server, { ...ref, ...asking })).rejects.toThrow('500');
  server.fault = () => undefined;
  expect(await isMadeByOsm(server, { ...ref, ...asking })).toBe(false);
  expect(server.calls.filter((call) => call.endsWith(api))).toHaveLength(1);
});
