/** The real driver on the simulated cloud does what it does on the real one. */
import { aRequest } from '../../activities/drivers/a-request.ts';
import { describeDriverContract } from '../../activities/drivers/contract.ts';
import { aSimulatedCloud } from './a-simulated-cloud.ts';

const { cloud, driver } = aSimulatedCloud();

describeDriverContract({
  driver: () => driver,
  request: aRequest,
  countMade: (name) => cloud.records.filter((record) => record.name === name).length,
  countLiving: (name) => cloud.matching({ name, tags: {} }).length,
  requestId: undefined,
  absentProviderID: 'local:///a/i-none',
  badSpec: {
    providerSpec: { size: 'huge' },
    message: 'Invalid value: providerSpec.size: "huge" is not one of small, medium, large',
  },
  brokenSpec: { size: 'huge' },
  volumes: {
    specs: [{ csi: { driver: 'virtual-cloud.millwright.dev', volumeHandle: 'vol-1' } }],
    ids: ['vol-1'],
  },
});
