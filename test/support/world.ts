import { RecentObjects } from '../../activities/kube/cache/recent-objects.ts';
import { createClassReader } from '../../activities/machine-class/reader.ts';
import { createRefusals } from '../../activities/machine-class/refusals.ts';
import type { World } from '../../activities/runtime/dependencies.ts';
import type { LifeRef } from '../../workflows/contracts/references.ts';
import { namespace } from './builders.ts';
import { MemoryKube } from './memory-kube.ts';

export interface WorldOfTests extends World {
  control: MemoryKube;
  target: MemoryKube;
}

/** A world in memory: `control` and `target` hold what a test puts there. */
export function aWorld({
  control = [],
  target = [],
  ...changes
}: { control?: object[]; target?: object[] } & Partial<
  Omit<World, 'control' | 'target'>
> = {}): WorldOfTests {
  const client = new MemoryKube(...control);
  return {
    control: client,
    target: new MemoryKube(...target),
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
    classes: createClassReader({ client, namespace }),
    recent: new RecentObjects(client),
    licence: { isGranted: () => true },
    stop: { current: () => undefined },
    pauses: () => [],
    entities: noWorkflows,
    hasDriver: async (provider) => provider === 'virtual',
    specFaults: () => [],
    refusals: createRefusals(client),
    ...changes,
  };
}

const noWorkflows: World['entities'] = {
  running: async () => ({ running: [], foreign: 0 }),
  endOf: async () => undefined,
  endForeign: async () => 0,
  tellOfLife: async () => undefined,
  tellOfMissing: async () => undefined,
  tellOfDeath: async () => undefined,
};

/** The life that a builder's object of this name stands for. */
export function lifeOf(name: string, uid = `uid-of-${name}`): LifeRef {
  return { namespace, name, uid };
}
