/** What `millwright explain` says of the user data of a machine. */
import { explain } from '../../../cli/explain/explain.ts';
import { builtInProfile } from '../../../userdata/profiles.ts';
import { originOf } from '../../../userdata/render.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { aConfigMap, anAskingClass, config } from '../../activities/user-data/class-world.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aMachineClass } from '../../support/builders.ts';
import { withEnvironment, withoutTemporal } from '../../support/environment.ts';
import { aMachine, running } from '../diagnosis/objects.ts';

withEnvironment({ ...withoutTemporal(), NO_COLOR: '1', HOME: '/nowhere' });

const profile = builtInProfile('ubuntu-24.04');
if (!profile) throw new Error('no profile');
const present = originOf({ profile, config, provider: 'virtual' });
const name = present.split(' ')[0] ?? '';
const earlierConfig = `${name} sha256:0123456789abcdef`;
const earlierProfile = 'ubuntu-24.04@0.9.0 sha256:0123456789abcdef';

async function factOf(origin: string | undefined, ...objects: object[]) {
  const notes = origin === undefined ? {} : { [annotations.userData]: origin };
  const machine = aMachine('a', { metadata: { annotations: notes }, status: running });
  const kube = new InMemoryClient(machine, ...objects);
  const { text } = await explain(
    { kube, namespace: 'shoot' },
    { object: { kind: 'machine', name: 'a' } },
  );
  expect(kube.calls.filter((call) => call.includes('/secrets'))).toEqual([]);
  return /^User data: +(.*)$/m.exec(text)?.[1];
}

const asking = [anAskingClass(), aConfigMap()];

test.each<[string | undefined, object[], string | undefined]>([
  [present, asking, `made of ${present}, as its class makes them now`],
  [
    earlierConfig,
    asking,
    `made of ${earlierConfig}, by an earlier config: its class makes ${present} now`,
  ],
  [
    earlierProfile,
    asking,
    `made of ${earlierProfile}, by an earlier profile: its class makes ${present} now`,
  ],
  [present, [aMachineClass()], `made of ${present}; its class asks for no profile now`],
  [undefined, asking, `of no profile; its class makes them of ${present} now`],
  [undefined, [aMachineClass()], undefined],
  [
    present,
    [anAskingClass()],
    `made of ${present}; what its class makes now is not known: millwright.dev/user-data-config: "pool-config": ConfigMap "pool-config" does not exist in namespace shoot`,
  ],
])('user data of %s', async (origin, objects, said) => {
  expect(await factOf(origin, ...objects)).toBe(said);
});
