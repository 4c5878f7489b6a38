/**
 * Check before each write of an activity that writes many objects. An attempt that timed out goes
 * on in the process, beside the next one: it must not write what it saw before. And its Lease may
 * be lost in the middle.
 */
import { Context } from '@temporalio/activity';
import type { KubeClient } from '../../kube/client/client.ts';
import { recorderOf, recordWith } from '../../kube/objects/events.ts';
import type { GateDependencies } from './leader-gate.ts';
import { requireLeader } from './leader-gate.ts';

/**
 * The same client, but that its writes fail once their attempt was timed out or cancelled, or while
 * no watcher leads.
 */
export function forCurrentAttempt(client: KubeClient, place: GateDependencies): KubeClient {
  const requireCurrent = (): void => {
    requireLeader(place);
    if (Context.current().cancellationSignal.aborted)
      throw new Error('this attempt is over: another one may be at work');
  };
  const guarded: KubeClient = {
    get: (...call) => client.get(...call),
    list: (...call) => client.list(...call),
    create: async (...call) => {
      requireCurrent();
      return await client.create(...call);
    },
    update: async (...call) => {
      requireCurrent();
      return await client.update(...call);
    },
    patch: async (...call) => {
      requireCurrent();
      return await client.patch(...call);
    },
    delete: async (...call) => {
      requireCurrent();
      return await client.delete(...call);
    },
    watch: (...call) => client.watch(...call),
    close: () => client.close(),
  };
  recordWith(guarded, recorderOf(client));
  return guarded;
}
