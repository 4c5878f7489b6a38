/** The driver of `provider: Alicloud`: instances of ECS, as Gardener's driver makes them. */
import { nowMs } from '../../system/system.ts';
import { DriverError, type Driver } from '../driver.ts';
import type { Cloud, Operation, Part, Place } from '../frame/cloud.ts';
import { csiVolumeIds } from '../frame/csi-volumes.ts';
import { driverOf, type FrameOptions } from '../frame/driver.ts';
import { fault } from '../frame/fault.ts';
import { orAbsent } from '../frame/http.ts';
import { hasTags } from '../frame/tags.ts';
import { fieldText } from '../spec-schema.ts';
import type { DriverSettings } from '../settings.ts';
import { createAccounts, isRegion, loadSdk, type Ecs } from './client.ts';
import { deathOf, disappearance } from './errors.ts';
import { list, read, regionOf, search } from './find.ts';
import * as view from './instance-view.ts';
import { runInstances } from './run-instances.ts';
import { searchTagsOf, tagList, tagSpelling } from './tags.ts';
import { validateProviderSpec } from './validate.ts';

export interface AlicloudDriverLimits extends FrameOptions {
  /** Of one request. Default 30. */
  callTimeoutSeconds?: number;
  /** So long after its run an instance may not be listed; then it is gone. Default 30. */
  listedWithinSeconds?: number;
}

interface Alicloud {
  account: Ecs;
  thing: view.AlicloudInstance;
  content: object;
}

export function createAlicloudDriver(
  settings: DriverSettings,
  { callTimeoutSeconds = 30, listedWithinSeconds = 30, ...waits }: AlicloudDriverLimits = {},
): Driver {
  const accountOf = createAccounts(settings, callTimeoutSeconds);
  const cloud: Cloud<Alicloud> = {
    title: 'Alibaba Cloud',
    // A call may be on its way for as long as its limit, and what it made be listed later.
    settleSeconds: 60,
    prepare: async () => void (await loadSdk()),
    account: async (request) => accountOf(request),
    parts: [],
    instance: instancePart(listedWithinSeconds * 1_000),
    uniqueness: { by: 'token' },
    tags: tagSpelling,
    // MCM's instances have the tags of their class.
    isOfClass: (thing, spec) => hasTags(thing, searchTagsOf(spec) ?? { '': 'none' }),
    isOfMachineController: ({ tags }) => tags['machine_uid'] !== undefined,
    instanceOf: view.instanceOf,
    validate: validateProviderSpec,
    places: {
      keys: ['region'],
      of: (_account, request) => ({ region: regionOf(request) }),
      isOf: (_account, { region }) => isRegion(region),
    },
    disappearance,
    async console(ecs, { region, id: instanceId }, signal) {
      const input = { regionId: region, instanceId };
      const asked = { region, input, what: `read the console of ${instanceId}`, signal };
      const answer = await orAbsent(ecs('GetInstanceConsoleOutput', asked));
      return answer && Buffer.from(answer.consoleOutput ?? '', 'base64').toString('utf8');
    },
    async retag(ecs, { thing: { region: regionId, id }, tags, signal }) {
      const input = { regionId, resourceType: 'instance', resourceId: [id], tag: tagList(tags) };
      await ecs('TagResources', { region: regionId, input, what: `tag instance ${id}`, signal });
      return undefined;
    },
    listScope: (spec) => JSON.stringify([Object(spec)['region'], searchTagsOf(spec)]),
    limitScope: (spec) => fieldText(spec, 'region'),
    volumeIds: csiVolumeIds(
      'diskplugin.csi.alibabacloud.com',
      ({ flexVolume }) => Object(Object(flexVolume).options).volumeId,
    ),
  };
  return driverOf(cloud, { ...waits, allowsRetagging: settings.allowsRetagging });
}

const instancePart = (listedWithinMs: number): Part<Alicloud> => ({
  kind: 'instance',
  read,
  search,
  list,
  bodies: ({ request }) => [{ name: request.machine.name, content: runInstances(request) }],
  async make(ecs, { place: { region = '' }, body: { name, content: input }, signal }) {
    const what = `run instance ${name}`;
    const asked = { region, input, what, signal, isCreate: true };
    const { instanceIdSets } = await ecs('RunInstances', asked);
    const id = instanceIdSets?.instanceIdSet?.[0];
    if (!id) throw fault('unknown', `Alibaba Cloud: ${what}: no id is answered`);
    const begunAt = nowMs();
    // The instance itself is its operation: it is known by its id and the time of the run.
    return { operation: { name: `${id}.${begunAt}`, isDone: false, progress: 'Pending', begunAt } };
  },
  // What is not listed may still come; then it is gone, as a token that was used before is
  // answered with the id of what it made.
  async operation(ecs, { place, name, signal }) {
    const begunAt = Number(name.split('.')[1]);
    const operation = { name, isDone: nowMs() - begunAt >= listedWithinMs, begunAt };
    const thing = await read(ecs, madeRef(place, '', operation), signal);
    if (!thing) return { ...operation, progress: 'not listed yet' };
    const { is, words } = view.stateOf(thing);
    return { ...operation, isDone: is !== 'coming', progress: words };
  },
  refOf: madeRef,
  stateOf: view.stateOf,
  deathOf(thing) {
    const { name, id, ecs } = thing;
    const end = `is ${view.stateOf(thing).words} before it was of use`;
    return deathOf(`instance ${name} (${id}) ${end}`, ecs.spotStrategy);
  },
  async remove(ecs, { region, id: instanceId }, signal) {
    // Force: also one that runs, as with Gardener's driver.
    const input = { instanceId, force: true };
    const asked = { region, input, what: `delete instance ${instanceId}`, signal };
    try {
      return (await orAbsent(ecs('DeleteInstance', asked))) ? 'going' : 'gone';
    } catch (error) {
      // It is on its way up or down: it can be deleted a moment later, or goes by itself.
      if (error instanceof DriverError && error.code === 'Aborted') return 'going';
      throw error;
    }
  },
  providerIDOf: ({ ref }) => ref,
  refIn(providerID) {
    view.placeIn(providerID);
    return providerID;
  },
});

function madeRef({ region = '' }: Place, _name: string, { name }: Operation): string {
  return view.refOf(region, name.split('.')[0] ?? '');
}
