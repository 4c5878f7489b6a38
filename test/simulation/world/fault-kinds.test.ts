import { allAgentTrouble } from '../cloud/agents.ts';
import { allCloudTrouble } from '../cloud/transport.ts';
import { allControllerTrouble } from '../controllers/trouble.ts';
import { allKubeletTrouble } from '../cloud/kubelets.ts';
import { faultNames, troubleBy } from './fault-kinds.ts';
import { allFaults, calm } from './weather.ts';

test('every fault has a name of its own', () => {
  expect(new Set(faultNames).size).toBe(faultNames.length);
  expect(faultNames).toEqual(
    expect.arrayContaining(['lostCalls', 'cloud.throttled', 'node.vanishes']),
  );
});

test('with all names each fault happens as often as it says', () => {
  expect(troubleBy(faultNames)).toEqual({
    calls: allFaults,
    cloud: allCloudTrouble,
    kubelets: allKubeletTrouble,
    controllers: allControllerTrouble,
    agents: allAgentTrouble,
  });
});

test('what is not named does not happen', () => {
  const { calls, cloud, kubelets } = troubleBy(['lostCalls', 'cloud.slow']);
  expect(calls).toEqual({ ...calm, lostCalls: allFaults.lostCalls });
  expect(cloud).toMatchObject({ throttled: 0, slow: allCloudTrouble.slow });
  expect(Object.values(kubelets).every((share) => share === 0)).toBe(true);
});
