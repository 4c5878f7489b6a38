/** The driver against the double. */
import { createHetznerDriver } from '../../../../activities/drivers/hetzner/driver.ts';
import { startHetznerDouble, token, type HetznerDouble } from '../../../doubles/hetzner/double.ts';
import { aSmallCloud, type SmallCloud } from '../small-clouds.ts';

/** What a class needs at least. */
export const aSpec = {
  cluster: 'shoot--garden--example',
  location: 'hel1',
  serverType: 'cx32',
  imageName: 'ubuntu-24.04',
  sshFingerprint: 'b7:2f:30:a0:2f:6c:58:6c:21:04:58:61:ba:06:3b:2f',
};

export const aSecret = { token };

/** For all tests of a file. */
export async function aHetznerCloud(): Promise<SmallCloud<HetznerDouble>> {
  return await aSmallCloud({
    double: await startHetznerDouble(),
    createDriver: createHetznerDriver,
    endpoint: 'MILLWRIGHT_HCLOUD_ENDPOINT',
    given: () => ({ providerSpec: aSpec, secret: aSecret, userData: '#!/bin/sh # hush\n' }),
  });
}
