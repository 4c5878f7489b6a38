import { RecentObjects } from '../../kube/cache/recent-objects.ts';
import { listsOf } from '../../activities/machine-set/machine-lists.ts';
import { setListsOf } from '../../activities/machine-deployment/set-lists.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import { createMemory } from '../../activities/runtime/memory.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ActivityDependencies } from '../../activities/runtime/dependencies.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import { namespace } from './builders.ts';
import { InMemoryClient } from './api-server/in-memory-client.ts';

export interface WorldOfTests extends ActivityDependencies {
  control: InMemoryClient;
  target: InMemoryClient;
  selectForUpdate(machine: ObjectReference): Promise<void>;
}

/** A world in memory: `control` and `target` hold what a test puts there. */
export function aWorld({
  control = [],
  target = [],
  ...changes
}: { control?: object[]; target?: object[] } & Partial<
  Omit<ActivityDependencies, 'control' | 'target'>
> = {}): WorldOfTests {
  const client = new InMemoryClient(...control);
  return {
    control: client,
    target: new InMemoryClient(...target),
    namespace,
    defaults: {
      creationTimeoutSeconds: 1200,
      healthTimeoutSeconds: 600,
      drainTimeoutSeconds: 7200,
      inPlaceUpdateTimeoutSeconds: 1200,
      maxEvictRetries: 360,
      pvDetachTimeoutSeconds: 120,
      pvReattachTimeoutSeconds: 90,
      preserveTimeoutSeconds: 345_600,
      nodeConditions: [],
      bootstrapTokenAuthExtraGroups: 'system:bootstrappers:shoot',
      resourceExhaustedRetrySeconds: 600,
    },
    protectsNodes: true,
    commandsBy: 'temporal',
    audit: () => {},
    classes: createClassReader({ client, namespace }),
    recent: new RecentObjects(client),
    memory: createMemory(),
    machines: listsOf(client),
    machineSets: setListsOf(client),
    activeWatcher: { isActive: () => true },
    stop: { current: () => undefined },
    policies: noPolicies,
    disrupted: () => {},
    pauses: () => [],
    workflows: noWorkflows,
    hasDrainWorker: async () => true,
    rateLimitOf: async () => undefined,
    hasDriver: async (provider) => provider === 'virtual',
    specFaults: () => [],
    refusals: createRefusals(client),
    selectForUpdate: async () => {},
    ...changes,
  };
}

const noPolicies: ActivityDependencies['policies'] = {
  current: () => ({ policies: [] }),
  noteWritten: () => {},
};

const noWorkflows: ActivityDependencies['workflows'] = {
  running: async () => ({ running: [], replaced: 0 }),
  closeReason: async () => undefined,
  endReplaced: async () => 0,
  signalObserved: async () => undefined,
  signalMissing: async () => undefined,
  signalGone: async () => undefined,
};

/** The life that a builder's object of this name stands for. */
export function lifeOf(name: string, uid = `uid-of-${name}`): ObjectReference {
  return { namespace, name, uid };
}

/** For activities that need no more of the world. */
export function placeOf(
  control: KubeClient,
): Pick<
  ActivityDependencies,
  'control' | 'machines' | 'machineSets' | 'recent' | 'memory' | 'policies' | 'disrupted'
> {
  const lists = { machines: listsOf(control), machineSets: setListsOf(control) };
  const ofPolicies = { policies: noPolicies, disrupted: () => {} };
  const own = { recent: new RecentObjects(control), memory: createMemory() };
  return { control, ...lists, ...ofPolicies, ...own };
}
