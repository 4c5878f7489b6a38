/** The kit that anybody's driver is verified with, on this one. */
import { token } from '../../../doubles/digitalocean/double.ts';
import { complaintsOf } from '../../../support/in-process-kit.ts';
import { aSpec, aDigitalOceanWorld } from './digitalocean-world.ts';

const world = await aDigitalOceanWorld();

test('the kit has nothing to say', async () => {
  const subject = {
    driver: world.aDriver(),
    provider: 'digitalocean',
    providerSpec: aSpec,
    secret: { token },
  };
  expect(await complaintsOf(subject)).toEqual([]);
});
