/**
 * A MachineDeployment on AWS: the real stack and the real driver with its SDK, and moto for EC2.
 */
import { customResource } from '../../../kube/client/paths.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { aSpec } from '../../activities/drivers/aws/a-class.ts';
import { startMoto } from '../../support/moto.ts';
import { aMotoAccount, motoSecret } from '../../support/moto-account.ts';
import { describePool } from '../support/clouds/pool-on-cloud.ts';

const types: Readonly<Record<string, string>> = { old: 'm5.large', new: 'c5.large' };

describePool({
  provider: 'AWS',
  async start() {
    const moto = await startMoto();
    const account = await aMotoAccount(moto.url);
    const more = {
      blockDevices: [{ ebs: { volumeType: 'gp3', volumeSize: 20 } }],
      srcAndDstChecksEnabled: false,
    };
    const running = async () =>
      (await account.instances()).filter(({ State }) => State?.Name === 'running');
    return {
      env: { AWS_ENDPOINT_URL_EC2: moto.url },
      providerSpec: aSpec({ ...more, machineType: types['old'] }, account),
      otherSpec: aSpec({ ...more, machineType: types['new'], keyNam: 'ops' }, account),
      secret: motoSecret,
      nodes: () => account.nodes(),
      async expectRunning({ cluster, namespace }, ofClass) {
        for (const { InstanceType, NetworkInterfaces = [] } of await running()) {
          expect(InstanceType).toBe(types[ofClass]);
          expect(NetworkInterfaces.map(({ SourceDestCheck }) => SourceDestCheck)).toEqual([false]);
        }
        const path = customResource('machineclasses', namespace, 'new');
        const misspelled = await cluster.kube.get<MachineClass>(path);
        expect(misspelled.metadata.annotations?.[annotations.ignoredKeys]).toBe(
          'providerSpec.keyNam is not a field and is ignored; did you mean keyName?',
        );
      },
      living: async () =>
        (await account.instances())
          .filter(({ State }) => State?.Name !== 'terminated')
          .map(({ InstanceId }) => `instance ${InstanceId}`),
      async expectGone() {
        const tokens = (await account.instances()).map(({ ClientToken }) => ClientToken);
        expect(tokens).toHaveLength(6);
        expect(new Set(tokens).size).toBe(6);
      },
      async stop() {
        account.close();
        await moto.stop();
      },
    };
  },
});
