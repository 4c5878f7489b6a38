import { Skipped } from '../../../../cli/driver/conformance/verdict.ts';
import { complaintsOf } from '../../../support/in-process-kit.ts';
import { htmlNotFound } from '../frame/fault-proxy.ts';
import { aDriver, aKubevirtWorld, aSpec, userData } from './kubevirt-world.ts';

const { controller, proxy, request, during, machines } = await aKubevirtWorld();

test('the conformance kit has nothing to say against the driver', async () => {
  const usual = controller.usualCourse;
  const complaints = complaintsOf({
    driver: aDriver({ waitSeconds: 600 }),
    provider: 'kubevirt',
    providerSpec: aSpec,
    secret: { ...request('kit').secret, userData },
    badSpecs: [{ zone: '' }, { tags: { a: 'no label,' } }],
    async trouble(kind) {
      if (kind === 'silent') throw new Skipped('it takes the limit of a call');
      if (kind === 'stranger') proxy.add({ fault: htmlNotFound });
      if (kind === 'dying') controller.usualCourse = [{ status: 'CrashLoopBackOff' }];
      if (kind !== 'over') return;
      proxy.clear();
      controller.usualCourse = usual;
    },
  });
  expect(await during(complaints)).toEqual([]);
  expect(await machines()).toEqual([]);
});
