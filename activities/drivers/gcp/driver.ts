/**
 * The driver of `provider: GCP`: instances of Google Compute Engine, as Gardener's driver makes
 * them.
 */
import { beforeCreate } from '../before-create.ts';
import type { Driver, Instance, MachineRequest } from '../driver.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts } from './client.ts';
import type { Accounts } from './client.ts';
import { getConsoleOutput } from './console-output.ts';
import { createInstance } from './create.ts';
import type { CreationOptions } from './creation.ts';
import { deleteInstance, deleteListed } from './delete.ts';
import { fault } from './error-mapping.ts';
import { findOne } from './find.ts';
import { instanceOf } from './instance-view.ts';
import { limitScope, listInstances, listScope } from './list.ts';
import { validateProviderSpec } from './validate.ts';
import { volumeIds } from './volumes.ts';
import type { WaitLimits } from './wait.ts';

export interface GcpDriverLimits {
  /** The limit of one request, apart from waiting for an operation. Default 30. */
  callTimeoutSeconds?: number;
  /**
   * The limit of all waiting within one create or delete; what is not done then is `pending`.
   * Default 4.
   */
  waitSeconds?: number;
  /**
   * The same for the deletion of an orphan, which is never pending. Default 40: the check that asks
   * for it waits for a minute.
   */
  orphanWaitSeconds?: number;
  /** So long after it came up a spot instance is looked at once more. 0: not at all. Default 10. */
  confirmSeconds?: number;
  /** Between two looks; it doubles. Default 1. */
  firstPauseSeconds?: number;
}

/**
 * Google lists what an insert made as soon as it has answered; an insert may be on its way for as
 * long as a call may take.
 */
const settleSeconds = 30;

interface World {
  accounts: Accounts;
  creation: CreationOptions;
  /** For the deletion of an orphan. */
  orphans: WaitLimits;
}

export function createGcpDriver(settings: DriverSettings, limits: GcpDriverLimits = {}): Driver {
  const world = worldOf(settings, limits);
  const { accounts } = world;
  return {
    prepare: () => accounts.prepare(),
    settleSeconds,
    createInstance: async (request) =>
      await createInstance(await beforeCreate(accounts.of(request)), request, world.creation),
    describeInstance: (request) => describeInstance(world, request),
    getConsoleOutput: async (request) =>
      await getConsoleOutput(await accounts.of(request), request),
    async initializeInstance(request) {
      const instance = await describeInstance(world, request);
      if (instance) return instance;
      const { providerID, machine } = request;
      throw fault(
        'missing',
        `instance ${providerID ?? `of machine ${machine.name}`} does not exist`,
      );
    },
    deleteInstance: async (request) =>
      await deleteInstance(await accounts.of(request), request, world.creation),
    listInstances: async (request) => await listInstances(await accounts.of(request), request),
    listScope,
    limitScope,
    deleteListed: async (request) =>
      await deleteListed(await accounts.of(request), request, world.orphans),
    volumeIds: async (specs) => volumeIds(specs),
    validate: validateProviderSpec,
  };
}

function worldOf(settings: DriverSettings, limits: GcpDriverLimits): World {
  const { callTimeoutSeconds = 30, waitSeconds = 4, firstPauseSeconds = 1 } = limits;
  const { orphanWaitSeconds = 40, confirmSeconds = 10 } = limits;
  const { allowsRetagging = false } = settings;
  return {
    accounts: createAccounts(settings, { callTimeoutSeconds }),
    creation: { limitSeconds: waitSeconds, firstPauseSeconds, confirmSeconds, allowsRetagging },
    orphans: { limitSeconds: orphanWaitSeconds, firstPauseSeconds },
  };
}

async function describeInstance(
  { accounts }: World,
  request: MachineRequest,
): Promise<Instance | undefined> {
  const found = await findOne(await accounts.of(request), request);
  return found?.isOwn ? instanceOf(found.instance) : undefined;
}
