import { aSpec } from '../../../activities/drivers/aws/a-class.ts';
import { rememberTokens } from '../../../support/ec2-tokens.ts';
import { startMoto } from '../../../support/moto.ts';
import { aMotoAccount, motoSecret } from '../../../support/moto-account.ts';
import { stepAt, type CloudCase, type RunningCloud } from './cloud-case.ts';

export const aws: CloudCase = { provider: 'AWS', start };

const gone = new Set(['shutting-down', 'terminated']);

async function start(): Promise<RunningCloud> {
  const moto = await startMoto();
  const ec2 = await rememberTokens(moto.url);
  const account = await aMotoAccount(moto.url);
  return {
    upstream: { origin: ec2.url },
    envFor: (url) => ({ AWS_ENDPOINT_URL: url }),
    providerSpec: aSpec({}, account),
    secret: { ...motoSecret, userData: '#!/bin/sh' },
    stepOf({ body }) {
      const action = new URLSearchParams(body).get('Action') ?? '';
      return stepAt(action, !action.startsWith('Describe'));
    },
    async living() {
      const { Reservations = [] } = await account.ec2.describeInstances({});
      const { NetworkInterfaces = [] } = await account.ec2.describeNetworkInterfaces({});
      const { Volumes = [] } = await account.ec2.describeVolumes({});
      const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
      return [
        ...instances
          .filter(({ State }) => !gone.has(State?.Name ?? ''))
          .map(({ Tags = [] }) => `instance ${Tags.find(({ Key }) => Key === 'Name')?.Value}`),
        ...NetworkInterfaces.map(() => 'network interface'),
        ...Volumes.map(() => 'volume'),
      ].toSorted();
    },
    made: async (name) => (await account.instancesOf(name)).length,
    async stop() {
      account.close();
      await ec2.stop();
      await moto.stop();
    },
  };
}
