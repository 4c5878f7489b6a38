/** The driver of `provider: digitalocean`: droplets. */
import type { Driver } from '../driver.ts';
import type { Cloud } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { RestDriverLimits } from '../frame/rest-driver.ts';
import type { DriverSettings } from '../settings.ts';
import { requireText } from '../user-data-bytes.ts';
import { createAccounts, title } from './client.ts';
import {
  createFaults,
  dropletPart,
  instanceOf,
  settleSeconds,
  typeQuery,
  type DigitalOceanCloud,
} from './droplet.ts';
import { isUid, tagSpelling } from './tags.ts';
import { validateProviderSpec } from './validate.ts';

export function createDigitalOceanDriver(
  settings: DriverSettings,
  limits: RestDriverLimits = {},
): Driver {
  return driverOf(digitalOceanCloud(createAccounts(settings, limits)), limits);
}

function digitalOceanCloud(account: Cloud<DigitalOceanCloud>['account']): Cloud<DigitalOceanCloud> {
  return {
    title,
    settleSeconds,
    account,
    parts: [],
    instance: dropletPart,
    uniqueness: { by: 'nothing' },
    tags: tagSpelling,
    tagsComeLate: true,
    // MCM has no driver for this cloud.
    isOfClass: () => false,
    isOfMachineController: ({ tags }) => Object.keys(tags).some(isUid),
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    requireUserData: requireText,
    // One that is off before it was of use: the next try makes another.
    deletesFailed: true,
    // The account is that of the token.
    listScope: (providerSpec) => typeQuery(providerSpec)['type'] ?? '',
    volumeIds: csiVolumeIds('dobs.csi.digitalocean.com'),
  };
}
