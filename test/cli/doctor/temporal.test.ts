/** Whether the address in the flags of a watcher answers this computer, and what that means. */
import { withEnvironment, withoutTemporal } from '../../support/environment.ts';
import type { Observed } from '../../../cli/doctor/observed.ts';
import { scheduleAmong, temporalChecks } from '../../../cli/doctor/temporal.ts';
import { installFlagsOf } from '../../../cli/install/flags.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const address = '127.0.0.1:1';

withEnvironment(withoutTemporal());

async function found(asked: { temporalAddress?: string }, annotations: object = {}) {
  const kube = new InMemoryClient({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'shoot', name: 'millwright', annotations },
    spec: { holderIdentity: 'watcher-0', renewTime: new Date().toISOString() },
  });
  const flags = { ...installFlagsOf([]), temporalAddress: address };
  const common = { kube, target: kube, isSameCluster: true, namespace: 'shoot', release: 'shoot' };
  const observed: Observed = { ...common, ours: [], flags, install: 'shoot', taskQueue: undefined };
  const { checks, close } = await temporalChecks(observed, asked, process.env);
  await close();
  return await checks[0]?.run();
}

test('what the watcher reaches, and this computer does not, is no error', async () => {
  expect(await found({})).toMatchObject({
    state: 'skipped',
    text: expect.stringMatching(/^Temporal at 127\.0\.0\.1:1 .*--temporal-address/),
  });
});

test('what the watcher does not reach either, or what was named, is an error', async () => {
  const pauses = JSON.stringify([{ reason: 'temporal', from: new Date().toISOString() }]);
  const findings = await Promise.all([
    found({}, { 'millwright.dev/pauses': pauses }),
    found({ temporalAddress: address }),
  ]);
  expect(findings).toMatchObject([{ state: 'error' }, { state: 'error' }]);
});

test('a Temporal whose address is not known was not found out, which is no error', async () => {
  expect(await found({ temporalAddress: '' })).toMatchObject({
    state: 'skipped',
    text: expect.stringContaining('--temporal-address HOST:PORT'),
  });
});

const own = 'safety/orphans/eu';
const ofFleet = 'safety/orphans/eu:shoot';

test.each([
  [['runs', 'missing'], false, own],
  [['paused', 'missing'], false, own],
  [['missing', 'paused'], true, ofFleet],
  [['missing', 'missing'], true, ofFleet],
  [['missing', 'missing'], false, own],
] as const)(
  'of the Schedules that are %j, in a fleet %s, it is about %s',
  (states, isFleet, id) => {
    const [ofInstall, ofNamespace] = states;
    const both = [
      { id: own, state: ofInstall },
      { id: ofFleet, state: ofNamespace },
    ] as const;
    expect(scheduleAmong(both, isFleet).id).toBe(id);
  },
);
