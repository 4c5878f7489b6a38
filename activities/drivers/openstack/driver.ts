/** The driver of `provider: OpenStack`: servers of Nova, as Gardener's driver makes them. */
import type { Driver } from '../driver.ts';
import type { Cloud } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts, type AccountOf } from './client.ts';
import { port } from './port.ts';
import { consoleOf, instanceOf, retag, server } from './server.ts';
import { rawSpecOf, searchKeysOf } from './spec.ts';
import { tagSpelling } from './tags.ts';
import { textOf, type OpenStackCloud } from './resource.ts';
import { validateProviderSpec } from './validate.ts';
import { volume } from './volume.ts';

/** Services list at once what they made; a create may be on its way as long as a call may take. */
const settleSeconds = 30;

export function createOpenStackDriver(
  settings: DriverSettings,
  limits: RestDriverLimits = {},
): Driver {
  const { callTimeoutSeconds = 30, ...waits } = limits;
  const accountOf = createAccounts(settings, callTimeoutSeconds);
  return driverOf(openStack(accountOf), { ...waits, allowsRetagging: settings.allowsRetagging });
}

function openStack(accountOf: AccountOf): Cloud<OpenStackCloud> {
  return {
    title: 'OpenStack',
    settleSeconds,
    account: async (request) => accountOf(request),
    parts: [port, volume],
    instance: server,
    // Nova knows none, but Neutron refuses a second port with the MAC address of a token.
    uniqueness: { by: 'token' },
    tags: tagSpelling,
    isOfClass({ tags }, providerSpec) {
      const keys = searchKeysOf(providerSpec);
      return keys?.every((key) => tags[key] !== undefined) ?? false;
    },
    isOfMachineController: ({ tags }) => tags['machine-uid'] !== undefined,
    instanceOf,
    validate: validateProviderSpec,
    // The next try makes another on the same port.
    deletesFailed: true,
    console: consoleOf,
    retag,
    listScope: (providerSpec) =>
      [regionText(providerSpec), ...(searchKeysOf(providerSpec) ?? [])].join(' '),
    limitScope: regionText,
    volumeIds: csiVolumeIds('cinder.csi.openstack.org', ({ cinder }) => Object(cinder).volumeID),
  };
}

const regionText = (providerSpec: unknown): string => textOf(rawSpecOf(providerSpec)['region']);
