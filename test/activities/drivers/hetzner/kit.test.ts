/** The kit that anybody's driver is verified with, on this one. */
import { token } from '../../../doubles/hetzner/double.ts';
import { complaintsOf } from '../../../support/in-process-kit.ts';
import { aSpec, aHetznerWorld } from './hetzner-world.ts';

const world = await aHetznerWorld();

test('the kit has nothing to say', async () => {
  const subject = {
    driver: world.aDriver(),
    provider: 'hcloud',
    providerSpec: aSpec,
    secret: { token },
  };
  expect(await complaintsOf(subject)).toEqual([]);
});
