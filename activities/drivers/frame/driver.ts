/** Makes a `Driver` of a description. */
import { beforeCreate } from '../before-create.ts';
import type { Driver, Instance, MachineRequest } from '../driver.ts';
import { missing } from '../named-instance.ts';
import type { Cloud, CloudTypes } from './cloud.ts';
import { createInstance } from './create.ts';
import { deleteInstance, deleteListed } from './delete.ts';
import { findOne, type Asking } from './find.ts';
import { listInstances } from './list.ts';
import type { Waiting } from './wait.ts';

export interface FrameOptions {
  /**
   * The limit of all waiting within one create or delete; what is not done then is `pending`.
   * Default 4.
   */
  waitSeconds?: number | undefined;
  /**
   * The same for the deletion of an orphan, which is never pending. Default 40: the check that asks
   * for it waits for a minute.
   */
  orphanWaitSeconds?: number | undefined;
  /** Between two reads; it doubles. Default 1. */
  firstPauseSeconds?: number | undefined;
  /** `DriverSettings.allowsRetagging`. */
  allowsRetagging?: boolean | undefined;
}

/** Most operations take 10 to 90 s, and are young for half a minute. */
const usualPoll = { young: 5, old: 10 };

export function driverOf<T extends CloudTypes>(
  description: Cloud<T>,
  options: FrameOptions = {},
): Driver {
  const { waitSeconds = 4, orphanWaitSeconds = 40, firstPauseSeconds = 1 } = options;
  const { allowsRetagging = false } = options;
  const cloud = { ...description, poll: description.poll ?? usualPoll };
  const waits = { limitSeconds: waitSeconds, firstPauseSeconds, allowsRetagging };
  const orphans = { limitSeconds: orphanWaitSeconds, firstPauseSeconds };
  const { prepare, console, limitScope, warnings } = cloud;
  return {
    ...(prepare && { prepare }),
    settleSeconds: cloud.settleSeconds,
    async createInstance(request) {
      const account = await beforeCreate(cloud.account(request));
      return await createInstance({ cloud, account, request }, waits);
    },
    async describeInstance(request) {
      return instanceIn(await search(cloud, request));
    },
    ...(console && {
      async getConsoleOutput(request) {
        const { asking, thing } = await search(cloud, request);
        if (!thing) throw missing(request);
        return (await console(asking.account, thing, request.signal)) ?? '';
      },
    }),
    async initializeInstance(request) {
      const seen = await search(cloud, request);
      if (!seen.thing) throw missing(request);
      const { account } = seen.asking;
      const { initialize } = cloud;
      if (!initialize?.isNeeded(seen.thing)) return cloud.instanceOf(seen.thing, account);
      return cloud.instanceOf(await initialize.run(account, seen.thing, request.signal), account);
    },
    async deleteInstance(request) {
      const account = await cloud.account(request);
      return await deleteInstance({ cloud, account, request }, waits);
    },
    async listInstances(request) {
      return await listInstances(cloud, await cloud.account(request), request);
    },
    listScope: cloud.listScope,
    ...(limitScope && { limitScope }),
    async deleteListed(request) {
      const account = await cloud.account(request);
      return await deleteListed(cloud, account, { request, options: orphans });
    },
    volumeIds: cloud.volumeIds,
    validate: cloud.validate,
    ...(warnings && { warnings }),
  };
}

interface Seen<T extends CloudTypes> {
  asking: Asking<T>;
  thing: T['thing'] | undefined;
}

async function search<T extends CloudTypes>(
  cloud: Cloud<T> & Waiting,
  request: MachineRequest,
): Promise<Seen<T>> {
  const asking = { cloud, account: await cloud.account(request), request };
  const found = await findOne(asking);
  return { asking, thing: found?.isOwn ? found.thing : undefined };
}

function instanceIn<T extends CloudTypes>({ asking, thing }: Seen<T>): Instance | undefined {
  return thing && asking.cloud.instanceOf(thing, asking.account);
}
