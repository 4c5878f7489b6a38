/** Each call of a create and a delete is cut; the cloud's work goes on between the calls. */
import type { Driver } from '../../../../activities/drivers/driver.ts';
import { describeKills } from '../frame/kills.ts';
import { aHetznerCloud, aSpec } from './hetzner-cloud.ts';

const cloud = await aHetznerCloud();
const { project, clock } = cloud.double;
project.actionSeconds = 0.05;

/** As the workflow goes on after a create, so that the floating IP is there as well. */
function initializing(driver: Driver): Driver {
  return {
    ...driver,
    async createInstance(request) {
      const made = await driver.createInstance(request);
      if (made.isInitialized) return made;
      const { providerID } = made;
      return { ...made, ...(await driver.initializeInstance({ ...request, providerID })) };
    },
  };
}

describeKills({
  proxy: () => cloud.proxy,
  aDriver: () => initializing(cloud.aDriver({ waitSeconds: 0 })),
  request: (name, more) =>
    cloud.request(name, { providerSpec: { ...aSpec, floatingPoolName: 'pool' }, ...more }),
  countLiving: (name) => project.living(name).length,
  left: (name) => [
    ...project.living(name).map(() => 'server'),
    ...[...project.floatingIps.values()]
      .filter((ip) => ip.name === `pool-${name}-ipv4`)
      .map(() => 'floating IP'),
  ],
  pass: () => clock.advance(20),
});
