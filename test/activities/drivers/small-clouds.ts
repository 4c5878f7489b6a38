/**
 * What the tests of drivers on the frame's REST client share: the driver and its double with a
 * fault proxy between them, the contract, kills, answers of strangers, refusals on the wire, and
 * secrets.
 */
import { inspect } from 'node:util';
import type { CreateRequest, Driver } from '../../../activities/drivers/driver.ts';
import type { RestDriverLimits } from '../../../activities/drivers/frame/rest-driver.ts';
import type { DriverSettings } from '../../../activities/drivers/settings.ts';
import { eventually } from '../../support/eventually.ts';
import { complaintsOf } from '../../support/in-process-kit.ts';
import { aRequest } from './a-request.ts';
import { describeDriverContract, type CloudCase } from './contract.ts';
import { createdBy, deletedBy } from './following.ts';
import { failureOf } from './failure-of.ts';
import { htmlNotFound, startFaultProxy, tooManyCalls } from './frame/fault-proxy.ts';
import type { Fault, FaultProxy, ProxiedCall } from './frame/fault-proxy.ts';
import { describeKills, type KillCase } from './frame/kills.ts';

interface RestDouble {
  url: string;
  close: () => Promise<void>;
}

export interface SmallCloud<Double = RestDouble> {
  double: Double;
  /** In front of the double. */
  proxy: FaultProxy;
  driver: Driver;
  /** Another process. */
  aDriver: (limits?: RestDriverLimits, settings?: Partial<DriverSettings>) => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
}

export interface SmallCloudOptions<Double> {
  double: Double;
  createDriver: (settings: DriverSettings, limits: RestDriverLimits) => Driver;
  /** The variable that names the address of the cloud. Default: a Secret does. */
  endpoint?: string;
  /** What each request has. `url`: the address of the cloud. */
  given: (url: string) => Partial<CreateRequest>;
}

/** Short pauses, and no time limit that a busy machine could meet. */
export const quick = {
  callTimeoutSeconds: 600,
  waitSeconds: 600,
  orphanWaitSeconds: 600,
  firstPauseSeconds: 0.001,
};

/** For all tests of a file. */
export async function aSmallCloud<Double extends RestDouble>({
  double,
  createDriver,
  endpoint,
  given,
}: SmallCloudOptions<Double>): Promise<SmallCloud<Double>> {
  const { origin } = new URL(double.url);
  const proxy = await startFaultProxy(origin);
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await double.close();
  });
  const url = double.url.replace(origin, proxy.url);
  const env = endpoint === undefined ? {} : { [endpoint]: url };
  const aDriver: SmallCloud['aDriver'] = (limits = {}, settings = {}) =>
    createDriver({ env, allowsAmbientCredentials: false, ...settings }, { ...quick, ...limits });
  const request: SmallCloud['request'] = (name, more = {}) =>
    aRequest(name, { ...given(url), ...more });
  return { double, proxy, driver: aDriver(), aDriver, request };
}

type CaseOfCloud = Omit<CloudCase, 'driver' | 'request' | 'requestId'> & Partial<CloudCase>;

export interface SmallCloudCase
  extends
    CaseOfCloud,
    Pick<WireCase, 'isSearch' | 'isCreate' | 'isRemoval' | 'canaries' | 'emptyAnswers'> {
  countLiving: (name: string) => number;
  /** All that is there of the name. Undefined: kills are tested apart. */
  left?: KillCase['left'];
  /** The conformance kit is asked as well. Default: it is not. */
  provider?: string;
  /** Fields of a class with names that the cloud does not know, and what it says. */
  absent?: readonly (readonly [object, string])[];
  /** Secrets that are refused, and what is said of them. */
  refused: readonly (readonly [Record<string, string>, string])[];
  /** Of a providerID, for people. */
  providerIDForm: string;
}

export function describeSmallCloud(cloud: SmallCloud, cloudCase: SmallCloudCase): void {
  const { proxy, driver, aDriver, request } = cloud;
  const { countLiving, left, provider, uniqueness } = cloudCase;
  const common = { proxy: () => proxy, aDriver: () => aDriver(), request, countLiving };
  const given = request('any');

  describeDriverContract({
    driver: () => driver,
    request,
    remembersTokens: false,
    hasConsole: false,
    requestId: undefined,
    ...cloudCase,
  });
  if (left) describeKills({ ...common, left });
  describeWire({ ...cloudCase, ...common });

  if (provider !== undefined) {
    test('the conformance kit has nothing to say', async () => {
      const { providerSpec, secret } = given;
      const subject = { driver, provider, providerSpec: Object(providerSpec), secret };
      expect(await complaintsOf(subject)).toEqual([]);
    });
  }

  for (const [more, words] of cloudCase.absent ?? []) {
    test(`a create with ${JSON.stringify(more)} is settled`, async () => {
      const providerSpec = { ...Object(given.providerSpec), ...more };
      expect(await failureOf(createdBy(driver, request('absent', { providerSpec })))).toEqual({
        code: 'InvalidArgument',
        kind: 'input',
        settled: true,
        message: expect.stringContaining(words),
      });
      expect(countLiving('absent')).toBe(0);
    });
  }

  test.each(cloudCase.refused)('a Secret with %j is refused', async (secret, words) => {
    expect(await failureOf(driver.describeInstance(request('x', { secret })))).toEqual({
      code: 'Unauthenticated',
      kind: 'credentials',
      settled: false,
      message: expect.stringContaining(words),
    });
  });

  test('a providerID of another cloud is named', async () => {
    const asked = request('odd', { providerID: 'aws:///eu-west-1/i-1' });
    expect(await failureOf(driver.describeInstance(asked))).toMatchObject({
      code: 'InvalidArgument',
      message: `spec.providerID: "aws:///eu-west-1/i-1" is not of the form ${cloudCase.providerIDForm}`,
    });
  });

  test('a namesake of another cluster is neither taken nor deleted', async () => {
    await createdBy(driver, request('common', { cluster: 'cluster-2', token: 'other' }));
    expect(await deletedBy(driver, request('common'))).toEqual({ found: false });
    const isUnique = uniqueness === 'name';
    expect(
      await createdBy(driver, request('common')).catch((error: unknown) => error),
    ).toMatchObject(isUnique ? { code: 'AlreadyExists', settled: true } : { found: false });
    expect(countLiving('common')).toBe(isUnique ? 1 : 2);
  });

  test('a listing shows what is of this cluster and namespace, and deleteListed takes one of it', async () => {
    const cluster = 'cluster-of-list';
    const names = ['l-1', 'l-2', 'l-3', 'l-4', 'l-5'];
    for (const name of names) await createdBy(driver, request(name, { cluster }));
    const asked = { ...request('any', { cluster }), namespace: 'shoot' };
    const listed = await driver.listInstances(asked);
    expect(listed.map(({ machineName }) => machineName).toSorted()).toEqual(names);
    expect(await driver.listInstances({ ...asked, namespace: 'other' })).toEqual([]);
    const [{ providerID } = { providerID: '' }] = listed;
    const ofAnother = { ...asked, cluster: 'another', providerID };
    expect(await driver.deleteListed(ofAnother)).toEqual({ found: false });
    expect(await driver.deleteListed({ ...asked, providerID })).toEqual({ found: true });
  });
}

interface WireCase {
  proxy: () => FaultProxy;
  aDriver: () => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** The call that looks for an instance by its name. */
  isSearch: (call: ProxiedCall) => boolean;
  /** That no search answers with. Default: several. */
  emptyAnswers?: readonly string[];
  isCreate: (call: ProxiedCall) => boolean;
  isRemoval: (call: ProxiedCall) => boolean;
  countLiving: (name: string) => number;
  /** Texts of the Secret and of the user data that are in no message and in no answer. */
  canaries: RegExp;
}

function describeWire(wire: WireCase): void {
  const { aDriver, request, countLiving } = wire;
  const add = (matches: (call: ProxiedCall) => boolean, fault: Fault): void =>
    wire.proxy().add({ matches, fault });
  afterEach(() => wire.proxy().clear());

  describe('answers of strangers', () => {
    const strange = { code: 'Unknown', settled: false };

    test('an HTML 404 does not mean that nothing is there', async () => {
      const { providerID } = await createdBy(aDriver(), request('w-html'));
      add(() => true, htmlNotFound);
      for (const more of [{}, { providerID }]) {
        const asked = request('w-html', more);
        const listing = { ...asked, namespace: 'shoot', providerID };
        const calls: ((driver: Driver) => Promise<unknown>)[] = [
          (driver) => driver.describeInstance(asked),
          (driver) => createdBy(driver, asked),
          (driver) => deletedBy(driver, asked),
          (driver) => driver.listInstances(listing),
          (driver) => driver.deleteListed(listing),
        ];
        for (const call of calls) {
          const failure = await failureOf(call(aDriver()));
          expect(failure).toMatchObject(strange);
          expect(failure.message).toContain('not an answer of this cloud');
        }
      }
      expect(countLiving('w-html')).toBe(1);
    });

    test('an HTML 404 at a deletion does not mean that it is gone', async () => {
      await createdBy(aDriver(), request('w-stays'));
      add(wire.isRemoval, htmlNotFound);
      expect(await failureOf(deletedBy(aDriver(), request('w-stays')))).toMatchObject(strange);
      expect(countLiving('w-stays')).toBe(1);
    });

    const { emptyAnswers = ['{}', '[{}]', '"x"', 'null', ''] } = wire;
    for (const text of emptyAnswers) {
      test(`a success with ${JSON.stringify(text)} in place of what was looked for makes no instance`, async () => {
        add(wire.isSearch, { kind: 'answer', status: 200, text });
        const failure = await failureOf(createdBy(aDriver(), request('w-empty')));
        expect(failure).toMatchObject({ settled: false });
        expect(countLiving('w-empty')).toBe(0);
      });
    }
  });

  describe('a create that is refused on its way', () => {
    test.each([
      ['429 with a time', tooManyCalls({ 'retry-after': '7' }), { retryAfterSeconds: 7 }],
      ['429 without a time', tooManyCalls(), {}],
      ['503', { kind: 'answer', status: 503, text: 'upstream' }, {}],
    ] satisfies [string, Fault, object][])(
      '%s: it is asked again later',
      async (_name, fault, more) => {
        add(wire.isCreate, fault);
        expect(await failureOf(createdBy(aDriver(), request('w-later')))).toEqual({
          code: 'Unavailable',
          settled: false,
          message: expect.stringContaining('not an answer of this cloud'),
          ...more,
        });
        expect(countLiving('w-later')).toBe(0);
      },
    );

    test('silence ends when the call is cancelled', async () => {
      const controller = new AbortController();
      const { signal } = controller;
      let isAsked = false;
      const onHit = (): void => void (isAsked = true);
      wire.proxy().add({ matches: wire.isCreate, fault: { kind: 'deafness' }, onHit });
      const call = failureOf(createdBy(aDriver(), request('w-silent', { signal })));
      await eventually('it is asked for', () => isAsked);
      controller.abort();
      expect(await call).toMatchObject({ code: 'Canceled', settled: false });
    });
  });

  describe('secrets', () => {
    test.each([
      { kind: 'cutBefore' },
      { kind: 'loseAnswer' },
      { kind: 'answer', status: 403, text: '<h1>no</h1>' },
      { kind: 'answer', status: 500, text: '' },
      { kind: 'answer', status: 200, text: 'hello' },
    ] satisfies Fault[])('are in no failure of any call (%j)', async (fault) => {
      const name = `w-quiet-${Object.values(fault).slice(0, 2).join('-').toLowerCase()}`;
      for (const matches of [() => true, wire.isCreate]) {
        add(matches, fault);
        const error: unknown = await createdBy(aDriver(), request(name)).catch(
          (reason: unknown) => reason,
        );
        wire.proxy().clear();
        expect(error).toBeInstanceOf(Error);
        expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(wire.canaries);
      }
    });

    test('are not in what a create, a listing and the console answer', async () => {
      const asked = request('w-told');
      const answers = [
        await createdBy(aDriver(), asked),
        await aDriver().listInstances({ ...asked, namespace: asked.machine.namespace }),
        await aDriver().getConsoleOutput?.(asked),
      ];
      expect(JSON.stringify(answers)).not.toMatch(wire.canaries);
    });
  });
}
