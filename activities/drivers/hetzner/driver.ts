/** The driver of `provider: hcloud`: servers of Hetzner Cloud. */
import type { Driver } from '../driver.ts';
import type { Cloud } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import { tokenClients } from '../frame/token-client.ts';
import { fieldText } from '../spec-schema.ts';
import type { DriverSettings } from '../settings.ts';
import { title, tokenCloud } from './client.ts';
import { assign, floatingIpPart } from './floating-ip.ts';
import { labelSpelling } from './labels.ts';
import { createFaults, instanceOf, isOfClass, lacksFloatingIp, serverPart } from './server.ts';
import type { HetznerCloud } from './server.ts';
import { validateProviderSpec } from './validate.ts';

/** Hetzner lists a server as soon as it has answered; a create may be on its way for a call. */
const settleSeconds = 30;

export function createHetznerDriver(
  settings: DriverSettings,
  limits: RestDriverLimits = {},
): Driver {
  const clients = tokenClients(tokenCloud, settings, limits);
  const cloud: Cloud<HetznerCloud> = {
    title,
    settleSeconds,
    account: async (request) => clients(request),
    parts: [floatingIpPart],
    instance: serverPart,
    uniqueness: { by: 'name' },
    tags: labelSpelling,
    isOfClass,
    isOfMachineController: ({ tags }) => tags['machine-uid'] !== undefined,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    // One that is off before it was of use: its start has failed, and the next try makes another.
    deletesFailed: true,
    initialize: { isNeeded: lacksFloatingIp, run: assign },
    async retag({ send }, { thing, tags: labels, signal }) {
      const what = `set labels of server ${thing.name}`;
      await send({ what, method: 'PUT', path: `/servers/${thing.ref}`, body: { labels }, signal });
      return undefined;
    },
    // The project is that of the token.
    listScope: (providerSpec) => fieldText(providerSpec, 'cluster'),
    volumeIds: csiVolumeIds('csi.hetzner.cloud'),
  };
  return driverOf(cloud, { ...limits, allowsRetagging: settings.allowsRetagging });
}
