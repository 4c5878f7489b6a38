/**
 * The driver of `provider: Alicloud`: instances of Alibaba Cloud's ECS, as Gardener's driver makes
 * them.
 */
import type { Driver } from '../driver.ts';
import type { Cloud, Part } from '../frame/cloud.ts';
import { driverOf } from '../frame/driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts, isConflict, title, type Accounts } from './client.ts';
import { createFaults, disappearance, operationOf, refOf, run, type Alicloud } from './create.ts';
import {
  isOfClass,
  limitScope,
  listByTags,
  listScope,
  readAt,
  regions,
  searchByName,
} from './find.ts';
import {
  deathOf,
  instanceOf,
  placeIn,
  protectionOf,
  providerIDOf,
  stateOf,
} from './instance-view.ts';
import { runInstances } from './run-instances.ts';
import { tagSpelling } from './tags.ts';
import { validateProviderSpec } from './validate.ts';
import { volumeIds } from './volumes.ts';

export interface AlicloudDriverLimits {
  /** The limit of one request. Default 30. */
  callTimeoutSeconds?: number;
  /** See `FrameOptions`. */
  waitSeconds?: number;
  orphanWaitSeconds?: number;
  firstPauseSeconds?: number;
  /** So long after its run an instance may not be listed; then it is gone. Default 30. */
  listedWithinSeconds?: number;
}

export function createAlicloudDriver(
  settings: DriverSettings,
  limits: AlicloudDriverLimits = {},
): Driver {
  const { callTimeoutSeconds = 30, listedWithinSeconds = 30, ...waits } = limits;
  const accounts = createAccounts(settings, callTimeoutSeconds);
  const { allowsRetagging } = settings;
  return driverOf(alicloud(accounts, listedWithinSeconds), { ...waits, allowsRetagging });
}

function alicloud(accounts: Accounts, listedWithinSeconds: number): Cloud<Alicloud> {
  return {
    title,
    // A call may be on its way for as long as its limit, and what it made be listed later.
    settleSeconds: 60,
    prepare: () => accounts.prepare(),
    account: async (request) => accounts.of(request),
    parts: [],
    instance: instancePart(listedWithinSeconds * 1_000),
    uniqueness: { by: 'token' },
    tags: tagSpelling,
    isOfClass,
    instanceOf,
    validate: validateProviderSpec,
    faultsOf: createFaults,
    places: regions,
    disappearance,
    console: ({ ecs }, { region, id }, signal) => ecs(region).console(id, signal),
    async retag({ ecs }, { thing: { region, id }, tags, signal }) {
      await ecs(region).tag(id, tags, signal);
      return undefined;
    },
    listScope,
    limitScope,
    volumeIds: async (specs) => volumeIds(specs),
  };
}

const instancePart = (listedWithinMs: number): Part<Alicloud> => ({
  kind: 'instance',
  read: readAt,
  search: searchByName,
  list: listByTags,
  bodies: ({ request }) => [{ name: request.machine.name, content: runInstances(request) }],
  make: run,
  stateOf,
  deathOf,
  protectionOf,
  async remove({ ecs }, { region, id }, signal) {
    try {
      return (await ecs(region).delete(id, signal)) ? 'going' : 'gone';
    } catch (error) {
      // It is on its way up or down: it can be deleted a moment later, or goes by itself.
      if (isConflict(error)) return 'going';
      throw error;
    }
  },
  refOf,
  operation: (account, asked) => operationOf(account, asked, listedWithinMs),
  providerIDOf,
  refIn: (providerID) => providerIDOf(placeIn(providerID)),
});
