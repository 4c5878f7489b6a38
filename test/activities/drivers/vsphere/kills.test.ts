import { describeKills } from '../frame/kills.ts';
import { aVsphereWorld, vsphereRequest } from './vsphere-world.ts';

const world = await aVsphereWorld();

describeKills({
  proxy: () => world.proxy,
  aDriver: () => world.aDriver(),
  request: vsphereRequest,
  countLiving: async (name) => (await world.machines(name)).length,
  left: async (name) => (await world.machines(name)).map(() => 'instance'),
});
