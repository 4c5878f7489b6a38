/**
 * What every driver has to do, whatever its cloud. Each driver's tests run this table against the
 * double of their cloud; what only one cloud does is tested beside it.
 */
import type {
  CreatedInstance,
  CreateRequest,
  Driver,
  MachineRequest,
  PersistentVolumeSpec,
} from '../../../activities/drivers/driver.ts';
import { notingCloudRequests } from '../../../activities/system/cloud-requests.ts';
import { failureOf } from './failure-of.ts';

/** Names of its instances are used by nothing else in the double. */
export interface CloudCase {
  /** Asked in each test, as the double starts before the first one. */
  driver: () => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** Default: one call of the driver. Others call it until nothing is pending. */
  create?: (request: CreateRequest) => Promise<CreatedInstance>;
  remove?: (request: MachineRequest) => Promise<{ found: boolean }>;
  /** How many instances of the name were ever made. */
  countMade: (name: string) => number | Promise<number>;
  /** How many instances of the name exist. */
  countLiving: (name: string) => number | Promise<number>;
  /** The cloud's own expectations of an instance that has just been made. */
  expectMade?: (instance: CreatedInstance, name: string) => void | Promise<void>;
  /** Well formed, and without an instance. */
  absentProviderID: string;
  /** A spec that no create can use, and what the driver says of it. */
  badSpec: { providerSpec: object; message: string };
  /** The least of a spec that finds an instance; the rest of it makes no sense. */
  brokenSpec: object;
  volumes: { specs: PersistentVolumeSpec[]; ids: string[] };
  /**
   * What keeps a second create from making a second instance. Default `token`; `nothing`: nothing
   * does, and the search before a create is all that there is.
   */
  uniqueness?: 'token' | 'name' | 'nothing';
  /**
   * How many of two creates at once with one token have to succeed. Default 2; 0: the double
   * ignores tokens. By nothing: it is not asked.
   */
  createsAtOnce?: 0 | 1 | 2;
  /**
   * False: the cloud does not know a token whose instance is gone. Default true where tokens are
   * what instances are unique by.
   */
  remembersTokens?: boolean;
  /** False: the cloud has no console output to read. Default true. */
  hasConsole?: boolean;
  /** What a create with a spent token says. Default: anything. */
  spentMessage?: RegExp;
  /** Under which the cloud knows a create or a delete; undefined: it gives none. */
  requestId: RegExp | undefined;
}

/** Of the request that changed something in the cloud. */
async function changeIdOf(call: () => Promise<unknown>): Promise<string | undefined> {
  return await notingCloudRequests(async (requests) => {
    await call();
    return requests.changeId;
  });
}

/** Of creates at once. */
async function madeBy(creates: Promise<CreatedInstance>[]): Promise<CreatedInstance[]> {
  const ends = await Promise.allSettled(creates);
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
}

export function describeDriverContract(cloudCase: CloudCase): void {
  const { driver, request, countMade, countLiving } = cloudCase;
  const create = cloudCase.create ?? ((asked) => driver().createInstance(asked));
  const remove = cloudCase.remove ?? ((asked) => driver().deleteInstance(asked));

  describe('the driver contract', () => {
    test('a create makes an instance, and the second one finds it', async () => {
      const first = await create(request('c-plain'));
      expect(first).toMatchObject({ found: false, isInitialized: true });
      await cloudCase.expectMade?.(first, 'c-plain');
      expect(await create(request('c-plain'))).toEqual({ ...first, found: true });
      expect(await countMade('c-plain')).toBe(1);
    });

    test('a create and a delete name the id of the request to the cloud', async () => {
      const { requestId } = cloudCase;
      const isId = (id: string | undefined) => requestId?.test(id ?? '') ?? id === undefined;
      expect(isId(await changeIdOf(() => create(request('c-id'))))).toBe(true);
      expect(await changeIdOf(() => create(request('c-id')))).toBeUndefined();
      expect(isId(await changeIdOf(() => remove(request('c-id'))))).toBe(true);
    });

    test('a create with a providerID never makes an instance', async () => {
      const providerID = cloudCase.absentProviderID;
      expect(await failureOf(create(request('c-known', { providerID })))).toEqual({
        code: 'NotFound',
        settled: true,
        message: `instance ${providerID} does not exist`,
      });
      expect(await countMade('c-known')).toBe(0);
    });

    test('a providerID is enough to adopt an instance of another cluster and token', async () => {
      const { providerID } = await create(request('c-moved'));
      const moved = request('c-moved', { providerID, cluster: 'cluster-2', token: 'other' });
      expect(await create(moved)).toMatchObject({ providerID, found: true });
    });

    test('an instance of the same name is adopted although its token is another', async () => {
      const { providerID } = await create(request('c-adopted', { token: 'old' }));
      expect(await create(request('c-adopted'))).toMatchObject({ providerID, found: true });
      expect(await countMade('c-adopted')).toBe(1);
    });

    test('a create with a wrong spec makes nothing, but finds an instance that exists', async () => {
      const { providerSpec, message } = cloudCase.badSpec;
      expect(await failureOf(create(request('c-spec', { providerSpec })))).toEqual({
        code: 'InvalidArgument',
        kind: 'input',
        settled: true,
        message,
      });
      expect(await countMade('c-spec')).toBe(0);
      await create(request('c-spec'));
      expect(await create(request('c-spec', { providerSpec }))).toMatchObject({ found: true });
    });

    test('a delete takes the instance of its Machine only, and the second one finds nothing', async () => {
      await create(request('c-gone'));
      await create(request('c-stays'));
      expect(await remove(request('c-gone'))).toEqual({ found: true });
      expect(await countLiving('c-gone')).toBe(0);
      expect(await countLiving('c-stays')).toBe(1);
      expect(await remove(request('c-gone'))).toEqual({ found: false });
    });

    test('a delete refuses an instance that was made for another Machine, and says how to go on', async () => {
      const { providerID } = await create(request('c-foreign'));
      const theft = remove(request('c-thief', { providerID }));
      expect(await failureOf(theft)).toMatchObject({
        code: 'FailedPrecondition',
        message: expect.stringMatching(
          /has no tags of Millwright for Machine .*\/c-thief.*finalizer/,
        ),
      });
      expect(await countLiving('c-foreign')).toBe(1);
    });

    test('a delete needs no class that can be understood', async () => {
      await create(request('c-broken'));
      const providerSpec = cloudCase.brokenSpec;
      expect(await remove(request('c-broken', { providerSpec }))).toEqual({ found: true });
      expect(await countLiving('c-broken')).toBe(0);
    });

    test('describe finds what create finds, and makes nothing', async () => {
      expect(await driver().describeInstance(request('c-seen'))).toBeUndefined();
      expect(await countMade('c-seen')).toBe(0);
      const { providerID, nodeName } = await create(request('c-seen'));
      const found = { providerID, nodeName };
      expect(await driver().describeInstance(request('c-seen'))).toMatchObject(found);
      await remove(request('c-seen'));
      const gone = request('c-seen', { providerID });
      expect(await driver().describeInstance(gone)).toBeUndefined();
    });

    test('initialize works on an instance that exists, and makes none', async () => {
      const initialize = (name: string) => driver().initializeInstance(request(name));
      expect(await failureOf(initialize('c-ready'))).toMatchObject({ code: 'NotFound' });
      expect(await countMade('c-ready')).toBe(0);
      const { providerID } = await create(request('c-ready'));
      expect(await initialize('c-ready')).toMatchObject({ providerID, isInitialized: true });
    });

    const { hasConsole = true } = cloudCase;
    if (hasConsole) {
      test('the console of an instance that does not exist is not found', async () => {
        const console = driver().getConsoleOutput?.(request('c-mute')) ?? Promise.resolve('none');
        expect(await failureOf(console)).toMatchObject({ code: 'NotFound', settled: true });
        expect(await countMade('c-mute')).toBe(0);
      });

      test('the console of an instance that was made for another Machine is not read', async () => {
        const { providerID } = await create(request('c-private'));
        const thief = driver().getConsoleOutput?.(request('c-curious', { providerID }));
        expect(await failureOf(thief ?? Promise.resolve('none'))).toMatchObject({
          code: 'FailedPrecondition',
          message: expect.stringContaining('has no tags of Millwright for Machine'),
        });
      });
    }

    test('an instance that was made for another Machine is not taken, so that its Node stays', async () => {
      const { providerID } = await create(request('c-owner'));
      const theft = request('c-taker', { providerID });
      const isRefused = { code: 'FailedPrecondition', kind: 'input' };
      expect(await failureOf(create(theft))).toMatchObject(isRefused);
      expect(await failureOf(driver().describeInstance(theft))).toMatchObject(isRefused);
    });

    test('volumeIds names the volumes of this cloud, and leaves out those of others', async () => {
      const { specs, ids } = cloudCase.volumes;
      const csi = { driver: 'csi.example.com', volumeHandle: 'vol-of-another-cloud' };
      const empty = specs.map(({ csi: { driver: name } = csi }) => ({
        csi: { driver: name, volumeHandle: '' },
      }));
      const all = [{ csi }, ...empty, ...specs, { hostPath: {} }];
      expect(await driver().volumeIds(all)).toEqual(ids);
    });

    const { uniqueness = 'token' } = cloudCase;
    const { remembersTokens = uniqueness === 'token', createsAtOnce = 2 } = cloudCase;

    if (uniqueness === 'nothing') {
      test('no promise of one instance for two creates at once: both are found, and deleted together', async () => {
        const [instance] = await madeBy([create(request('c-twice')), create(request('c-twice'))]);
        expect(instance).toBeDefined();
        const living = await countLiving('c-twice');
        expect(await create(request('c-twice'))).toMatchObject({ found: true });
        expect(await countLiving('c-twice')).toBe(living);
        await remove(request('c-twice'));
        expect(await countLiving('c-twice')).toBe(0);
      });
    }

    if (uniqueness === 'name') {
      test('two creates at once with two tokens make one instance', async () => {
        const rivals = ['c-rivals-1', 'c-rivals-2'].map((token) =>
          create(request('c-rivals', { token })),
        );
        const made = await madeBy(rivals);
        const { providerID } = await create(request('c-rivals'));
        for (const instance of made) expect(instance.providerID).toBe(providerID);
        expect(made.length).toBeGreaterThanOrEqual(1);
        expect(await countMade('c-rivals')).toBe(1);
      });
    }

    if (uniqueness !== 'nothing' && createsAtOnce > 0) {
      test('two creates at once with one token make one instance', async () => {
        const made = await madeBy([create(request('c-twice')), create(request('c-twice'))]);
        expect(made.length).toBeGreaterThanOrEqual(createsAtOnce);
        const { providerID } = await create(request('c-twice'));
        for (const instance of made) expect(instance.providerID).toBe(providerID);
        expect(await countMade('c-twice')).toBe(1);
        expect(await countLiving('c-twice')).toBe(1);
      });
    }

    if (!remembersTokens) return;
    test('a token whose instance was deleted is spent, and the next one is not', async () => {
      await create(request('c-ghost'));
      await remove(request('c-ghost'));
      expect(await failureOf(create(request('c-ghost')))).toMatchObject({
        code: 'Aborted',
        settled: true,
        message: expect.stringMatching(cloudCase.spentMessage ?? /./),
      });
      expect(await countMade('c-ghost')).toBe(1);
      expect(await create(request('c-ghost', { token: 'next' }))).toMatchObject({ found: false });
    });
  });
}
