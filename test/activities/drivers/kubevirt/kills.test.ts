import type { Driver } from '../../../../activities/drivers/driver.ts';
import { describeKills } from '../frame/kills.ts';
import { aDriver, aKubevirtWorld } from './kubevirt-world.ts';

const { controller, proxy, request, machines, left } = await aKubevirtWorld();

/** As the core asks: an instance that is not initialised is, before it counts as made. */
function anAskedDriver(): Driver {
  const driver = aDriver();
  return {
    ...driver,
    async createInstance(asked) {
      const made = await driver.createInstance(asked);
      return made.isInitialized ? made : { ...made, ...(await driver.initializeInstance(asked)) };
    },
  };
}

describeKills({
  proxy: () => proxy,
  aDriver: anAskedDriver,
  request,
  countLiving: async (name) => (await machines(name)).length,
  left,
  pass: () => controller.step(),
});
