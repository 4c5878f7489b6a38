/**
 * What drivers on the frame's REST client share in their tests: answers of strangers, refusals on
 * the wire, and secrets, each through the fault proxy.
 */
import { inspect } from 'node:util';
import type { CreateRequest, Driver } from '../../../activities/drivers/driver.ts';
import { eventually } from '../../support/eventually.ts';
import { createdBy, deletedBy } from './following.ts';
import { failureOf } from './failure-of.ts';
import { htmlNotFound, tooManyCalls } from './frame/fault-proxy.ts';
import type { Fault, FaultProxy, ProxiedCall } from './frame/fault-proxy.ts';

export interface WireCase {
  proxy: () => FaultProxy;
  aDriver: () => Driver;
  request: (name: string, more?: Partial<CreateRequest>) => CreateRequest;
  /** The call that looks for an instance by its name. */
  isSearch: (call: ProxiedCall) => boolean;
  isCreate: (call: ProxiedCall) => boolean;
  isRemoval: (call: ProxiedCall) => boolean;
  countLiving: (name: string) => number;
  /** Texts of the Secret and of the user data that are in no message and in no answer. */
  canaries: RegExp;
}

export function describeWire(wire: WireCase): void {
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

    test.each(['{}', '[{}]', '"x"', 'null', ''])(
      'a success with %j in place of what was looked for makes no instance',
      async (text) => {
        add(wire.isSearch, { kind: 'answer', status: 200, text });
        const failure = await failureOf(createdBy(aDriver(), request('w-empty')));
        expect(failure).toMatchObject({ settled: false });
        expect(countLiving('w-empty')).toBe(0);
      },
    );
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
