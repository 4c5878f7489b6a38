/** The driver of `provider: yandex`: instances of Yandex Compute Cloud. */
import type { Driver, MachineRequest } from '../driver.ts';
import type { Cloud, Part } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import type { DriverSettings } from '../settings.ts';
import { requireText } from '../user-data-bytes.ts';
import { createAccounts, type Account } from './client.ts';
import * as view from './instance.ts';
import { validateProviderSpec } from './validate.ts';

interface Yandex {
  account: Account;
  thing: view.YandexInstance;
  content: object;
}

export function createYandexDriver(
  settings: DriverSettings,
  { callTimeoutSeconds = 30, ...waits }: RestDriverLimits = {},
): Driver {
  const accountOf = createAccounts(settings, callTimeoutSeconds);
  const cloud: Cloud<Yandex> = {
    title: 'Yandex Cloud',
    settleSeconds: 60,
    account: async (request) => accountOf(request),
    parts: [],
    instance,
    uniqueness: { by: 'name' },
    tags: view.labelSpelling,
    isOfClass,
    instanceOf: view.instanceOf,
    validate: validateProviderSpec,
    faultsOf({ machine: { name } }) {
      const allowed =
        'up to 63 lower-case letters, digits and dashes, a letter first, no dash last';
      const isName = isInstanceName(name);
      return isName
        ? []
        : [`metadata.name: "${name}" cannot be the name of an instance: ${allowed}`];
    },
    requireUserData: requireText,
    places: {
      keys: ['zone'],
      of: (_account, { providerSpec }) => ({ zone: String(Object(providerSpec)['zoneID']) }),
      isOf: () => true,
    },
    async console({ call }, { uid, name }, signal) {
      const path = `/compute/v1/instances/${uid}:serialPortOutput`;
      const answer = call({ what: `read the console of ${name}`, method: 'GET', path, signal });
      const json = await orAbsent(answer);
      return json === undefined ? undefined : String(Object(json)['contents'] ?? '');
    },
    async retag({ call }, { thing: { uid, name }, tags: labels, signal }) {
      const path = `/compute/v1/instances/${uid}`;
      const body = { updateMask: 'labels', labels };
      const what = `label instance ${name}`;
      return view.operationOf(await call({ what, method: 'PATCH', path, body, signal }));
    },
    // A listing shows the whole folder, which is that of the credentials.
    listScope: () => '',
    volumeIds: csiVolumeIds('yandex.csi.flant.com'),
  };
  return driverOf(cloud, { ...waits, allowsRetagging: settings.allowsRetagging });
}

const instance: Part<Yandex> = {
  kind: 'instance',
  async read(account, ref, signal) {
    const [, name = ''] = ref.split('/');
    return (await list(account, signal, name)).find((thing) => thing.ref === ref);
  },
  // Yandex Cloud allows no instance of another name.
  search: async (account, { machine: { name }, signal }: MachineRequest) =>
    isInstanceName(name) ? await list(account, signal, name) : [],
  list: async (account, { signal }) => await list(account, signal),
  bodies: ({ account, request }) => [
    { name: request.machine.name, content: view.bodyOf(account.folder, request) },
  ],
  async make({ call }, { body: { name, content: body }, signal }) {
    const path = '/compute/v1/instances';
    const what = `create instance ${name}`;
    const json = await call({ what, method: 'POST', path, body, signal, isCreate: true });
    return { operation: view.operationOf(json) };
  },
  stateOf: view.stateOf,
  deathOf: view.deathOf,
  async remove({ call }, { uid, name }, signal) {
    const path = `/compute/v1/instances/${uid}`;
    const deletion = call({ what: `delete instance ${name}`, method: 'DELETE', path, signal });
    const json = await orAbsent(deletion);
    return json === undefined ? 'gone' : view.operationOf(json);
  },
  refOf: ({ zone = '' }, name) => `${zone}/${name}`,
  async operation({ call }, { name, signal }) {
    const path = `/operations/${name}`;
    const what = `read operation ${name}`;
    const json = await orAbsent(call({ service: 'operation', what, method: 'GET', path, signal }));
    return json === undefined ? undefined : view.operationOf(json);
  },
  providerIDOf: view.providerIDOf,
  refIn: view.refIn,
};

const isInstanceName = (name: string): boolean => /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);

/** The whole folder, or what has the name: a filter cannot ask for labels. */
async function list({ folder, call }: Account, signal: AbortSignal, name?: string) {
  const all: view.YandexInstance[] = [];
  const query = new URLSearchParams({ folderId: folder, pageSize: '1000' });
  if (name !== undefined) query.set('filter', `name="${name}"`);
  // A listing of more than 100,000 instances does not end.
  for (let page = 0; page < 100; page += 1) {
    const path = `/compute/v1/instances?${query.toString()}`;
    const json = await call({ what: 'list instances', method: 'GET', path, signal });
    const { instances = [], nextPageToken } = Object(json);
    if (!Array.isArray(instances)) break;
    all.push(...instances.map((wire) => view.viewOf(Object(wire))));
    if (!nextPageToken) return name === undefined ? all : all.filter((one) => one.name === name);
    query.set('pageToken', String(nextPageToken));
  }
  throw fault('unknown', 'Yandex Cloud: list instances: the answers have no instances or no end');
}

/** MCM's instances have the labels of their class; two of them say whose they are. */
function isOfClass({ tags }: view.YandexInstance, providerSpec: unknown): boolean {
  const keys = Object.keys(Object(Object(providerSpec)['labels']));
  const has = (part: string): boolean =>
    keys.some((key) => key.includes(part) && tags[key] !== undefined);
  return has('kubernetes-io-cluster-') && has('kubernetes-io-role-');
}
