/** The driver against the double. */
import { createDigitalOceanDriver } from '../../../../activities/drivers/digitalocean/driver.ts';
import {
  startDigitalOceanDouble,
  token,
  type DigitalOceanDouble,
} from '../../../doubles/digitalocean/double.ts';
import { aSmallCloud, type SmallCloud } from '../small-clouds.ts';

/** What a class needs at least. */
export const aSpec = { region: 'fra1', size: 's-2vcpu-4gb', image: 'ubuntu-24-04-x64' };

/** For all tests of a file. */
export async function aDigitalOceanCloud(): Promise<SmallCloud<DigitalOceanDouble>> {
  return await aSmallCloud({
    double: await startDigitalOceanDouble(),
    createDriver: createDigitalOceanDriver,
    endpoint: 'MILLWRIGHT_DIGITALOCEAN_ENDPOINT',
    given: () => ({ providerSpec: aSpec, secret: { token }, userData: '#!/bin/sh # hush\n' }),
  });
}
