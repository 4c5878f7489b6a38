/**
 * The driver of `provider: GCP`: instances of Google Compute Engine, as Gardener's driver makes
 * them.
 */
import type { Driver } from '../driver.ts';
import type { Cloud, Part } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf } from '../frame/driver.ts';
import type { DriverSettings } from '../settings.ts';
import { requireText } from '../user-data-bytes.ts';
import { createAccounts, type Accounts } from './client.ts';
import { bodyOf, createFaults, disappearance, insert, requestIdOf } from './create.ts';
import { isOfClass, readAt, refIn, refOf, searchByName, zonePlaces } from './find.ts';
import {
  deathOf,
  instanceOf,
  operationOf,
  protectionOf,
  stateOf,
  type GoogleCloud,
} from './instance-view.ts';
import { labelSpelling } from './labels.ts';
import { limitScope, listByTags, listScope } from './list.ts';
import { providerIDOf } from './provider-id.ts';
import { validateProviderSpec } from './validate.ts';

export interface GcpDriverLimits {
  /** The limit of one request, apart from waiting for an operation. Default 30. */
  callTimeoutSeconds?: number;
  /** See `FrameOptions`. */
  waitSeconds?: number;
  orphanWaitSeconds?: number;
  firstPauseSeconds?: number;
  /** So long after it came up a spot instance is looked at once more. 0: not at all. Default 10. */
  confirmSeconds?: number;
}

/**
 * Google lists what an insert made as soon as it has answered; an insert may be on its way for as
 * long as a call may take.
 */
const settleSeconds = 30;

export function createGcpDriver(settings: DriverSettings, limits: GcpDriverLimits = {}): Driver {
  const { callTimeoutSeconds = 30, confirmSeconds = 10, ...waits } = limits;
  const accounts = createAccounts(settings, { callTimeoutSeconds });
  const { allowsRetagging } = settings;
  return driverOf(googleCloud(accounts, confirmSeconds), { ...waits, allowsRetagging });
}

function googleCloud(accounts: Accounts, confirmSeconds: number): Cloud<GoogleCloud> {
  return {
    title: 'Google Cloud',
    settleSeconds,
    prepare: () => accounts.prepare(),
    account: (request) => accounts.of(request),
    parts: [],
    instance,
    // `The resource '.../instances/NAME' already exists`; a disk may have the name as well.
    uniqueness: {
      by: 'name',
      isTaken: ({ message }, name) => message.includes(`/instances/${name}'`),
    },
    tags: labelSpelling,
    isOfClass,
    isOfMachineController: ({ tags }) => tags['machine_uid'] !== undefined,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    requireUserData: requireText,
    places: zonePlaces,
    requestIdOf: (token) => requestIdOf(token, 'insert'),
    confirmation: {
      seconds: confirmSeconds,
      of: ({ instance: { isSpot } }) => isSpot,
      what: 'spot instance',
    },
    disappearance,
    console: ({ compute }, { instance: { place } }, signal) => compute.serialOutput(place, signal),
    async retag({ compute }, { thing, tags: labels, signal }) {
      const { place, labelFingerprint: fingerprint = '' } = thing.instance;
      return operationOf(await compute.setLabels({ place, labels, fingerprint }, signal));
    },
    listScope,
    limitScope,
    // Of CSI: `projects/P/zones/Z/disks/NAME`.
    volumeIds: csiVolumeIds(
      'pd.csi.storage.gke.io',
      ({ gcePersistentDisk }) => Object(gcePersistentDisk).pdName,
    ),
  };
}

const instance: Part<GoogleCloud> = {
  kind: 'instance',
  read: readAt,
  search: searchByName,
  list: listByTags,
  bodies: ({ account, request }) => [
    { name: request.machine.name, content: bodyOf(account, request) },
  ],
  make: insert,
  stateOf,
  deathOf,
  protectionOf,
  async remove({ compute }, { instance: { place } }, signal) {
    const operation = await compute.delete(place, signal);
    return operation ? operationOf(operation) : 'going';
  },
  refOf,
  async operation({ compute }, { place: { project = '', zone = '' }, name, signal }) {
    const operation = await compute.operation({ project, zone, operation: name }, signal);
    return operation && operationOf(operation);
  },
  providerIDOf: ({ instance: { place } }) => providerIDOf(place),
  refIn,
};
