/** The driver of `provider: hcloud`: servers of Hetzner Cloud. */
import type { Driver, PersistentVolumeSpec } from '../driver.ts';
import type { Cloud } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts, objectIn, title, type Hetzner } from './client.ts';
import { assign, floatingIpPart } from './floating-ip.ts';
import { labelSpelling } from './labels.ts';
import {
  createFaults,
  instanceOf,
  isOfClass,
  lacksFloatingIp,
  serverPart,
  type HetznerCloud,
} from './server.ts';
import { validateProviderSpec } from './validate.ts';

export interface HetznerDriverLimits {
  /** The limit of one request. Default 30. */
  callTimeoutSeconds?: number;
  /** See `FrameOptions`. */
  waitSeconds?: number;
  orphanWaitSeconds?: number;
  firstPauseSeconds?: number;
}

/** Hetzner lists a server as soon as it has answered; a create may be on its way for a call. */
const settleSeconds = 30;

const csiDriver = 'csi.hetzner.cloud';

export function createHetznerDriver(
  settings: DriverSettings,
  limits: HetznerDriverLimits = {},
): Driver {
  const { callTimeoutSeconds = 30, ...waits } = limits;
  const accounts = createAccounts(settings, callTimeoutSeconds);
  return driverOf(hetznerCloud(accounts), { ...waits, allowsRetagging: settings.allowsRetagging });
}

function hetznerCloud(account: Cloud<HetznerCloud>['account']): Cloud<HetznerCloud> {
  return {
    title,
    settleSeconds,
    account,
    parts: [floatingIpPart],
    instance: serverPart,
    uniqueness: { by: 'name' },
    tags: labelSpelling,
    isOfClass,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    // One that is off before it was of use: its start has failed, and the next try makes another.
    deletesFailed: true,
    initialize: { isNeeded: lacksFloatingIp, run: assign },
    retag: setLabels,
    listScope,
    volumeIds: async (specs) => specs.flatMap(volumeIdOf),
  };
}

async function setLabels(
  { send }: Hetzner,
  { thing, tags, signal }: Parameters<NonNullable<Cloud<HetznerCloud>['retag']>>[1],
): Promise<undefined> {
  const what = `set labels of server ${thing.name}`;
  const path = `/servers/${thing.ref}`;
  const answer = await send({ what, method: 'PUT', path, body: { labels: tags }, signal });
  objectIn(what, answer, 'server');
}

/** The project is that of the token. */
function listScope(providerSpec: unknown): string {
  const { cluster, floatingPoolName } = Object(providerSpec);
  return JSON.stringify([cluster, floatingPoolName]);
}

function volumeIdOf({ csi }: PersistentVolumeSpec): string[] {
  return csi?.driver === csiDriver && csi.volumeHandle ? [csi.volumeHandle] : [];
}
