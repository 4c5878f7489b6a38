/** `cloudProvider: aws` (machine-controller at f1068332) -> `provider: AWS`. */
import { missingTags, withoutAdded } from './class-tags.ts';
import { addressFamilies, count, flag, off } from './read-values.ts';
import { FieldFault, type Fields, type ProviderTable, type Row } from './table.ts';

const card = 'networkInterfaces.0';
const volume = 'blockDevices.0.ebs';

const ofOnePlace =
  'the subnet says where an instance is made; machine-controller only checks this one';

const rows: readonly Row[] = [
  {
    theirs: 'accessKeyId',
    env: 'AWS_ACCESS_KEY_ID',
    secret: 'accessKeyID',
    required: 'write it, or set AWS_ACCESS_KEY_ID of the front',
  },
  {
    theirs: 'secretAccessKey',
    env: 'AWS_SECRET_ACCESS_KEY',
    secret: 'secretAccessKey',
    required: 'write it, or set AWS_SECRET_ACCESS_KEY of the front',
  },
  {
    theirs: 'assumeRoleARN',
    env: 'AWS_ASSUME_ROLE_ARN',
    refused:
      'the driver assumes no role with an access key. Write the access key of a user that has the rights of the role',
  },
  {
    theirs: 'assumeRoleExternalID',
    env: 'AWS_ASSUME_ROLE_EXTERNAL_ID',
    ignored: 'only a role needs it, and none is assumed',
  },
  { theirs: 'region', ours: 'region', required: 'write one, such as eu-central-1' },
  { theirs: 'availabilityZone', ignored: ofOnePlace },
  { theirs: 'vpcId', ignored: ofOnePlace },
  {
    theirs: 'subnetId',
    ours: `${card}.subnetID`,
    required: 'write the ID of a subnet, such as subnet-0123456789abcdef0',
  },
  {
    theirs: 'securityGroupIDs',
    ours: `${card}.securityGroupIDs`,
    required: 'write a list of IDs, such as sg-0123456789abcdef0',
  },
  {
    theirs: 'instanceProfile',
    ours: 'iam.name',
    required: 'write the name of an instance profile',
  },
  { theirs: 'instanceType', ours: 'machineType', required: 'write one, such as m5.large' },
  {
    theirs: 'ami',
    ours: 'ami',
    required:
      'machine-controller takes the newest image of the operating system at each create, a class names one. Write the ID of an image in this region, such as that of the instances that run',
  },
  {
    theirs: 'diskSize',
    ours: `${volume}.volumeSize`,
    required: 'write a size in GiB',
    to: count,
  },
  { theirs: 'diskType', ours: `${volume}.volumeType`, default: 'standard', to: knownType },
  {
    theirs: 'diskIops',
    ours: `${volume}.iops`,
    // They send it for these types alone.
    to: (value, { diskType }) =>
      diskType === 'io1' || diskType === 'gp3' ? count(value) : undefined,
  },
  { theirs: 'ebsVolumeEncrypted', ours: `${volume}.encrypted`, to: flag },
  { theirs: 'tags', ours: 'tags', back: withoutAdded },
  {
    theirs: 'assignPublicIP',
    ours: `${card}.associatePublicIPAddress`,
    default: true,
    to: flag,
  },
  {
    theirs: 'isSpotInstance',
    ours: 'spotPrice',
    to: (value, spec) => (flag(value) ? maxPriceOf(spec) : undefined),
    back: () => true,
  },
  {
    theirs: 'spotInstanceConfig.maxPrice',
    ours: 'spotPrice',
    to: (_value, spec) => (isSpot(spec) ? maxPriceOf(spec) : undefined),
    back: (price) => price || undefined,
  },
  {
    theirs: 'spotInstanceConfig.persistentRequest',
    refused:
      'a request that goes on would make instances that no Machine has. Remove it: Millwright makes another Machine in place of one that was taken back',
    harmless: off,
  },
  {
    theirs: 'spotInstanceConfig.interruptionBehavior',
    ignored: 'it is of a persistent request alone; an instance that is taken back is terminated',
  },
];

export const aws: ProviderTable = {
  cloudProvider: 'aws',
  provider: 'AWS',
  rows,
  more(spec, { cluster, network }) {
    const { v6 } = addressFamilies(network?.ipFamily);
    return {
      providerSpec: {
        ...(v6 && { networkInterfaces: [{ ipv6AddressCount: 1, primaryIpv6: false }] }),
        tags: missingTags(spec['tags'], {
          'kubernetes.io/cluster/': `kubernetes.io/cluster/${cluster}`,
          'kubernetes.io/role/': 'kubernetes.io/role/node',
        }),
        // As theirs: containers reach the metadata service.
        instanceMetadataOptions: { httpPutResponseHopLimit: 3 },
      },
      ignored: isSpot(spec)
        ? [
            'cloudProviderSpec.isSpotInstance: the Node gets no label k8c.io/aws-spot; where aws-node-termination-handler selects by it, write it in the template',
          ]
        : [],
    };
  },
  findsInstanceBy: {
    tag: 'Machine-UID',
    command(providerID, uid) {
      const [, region, id] = partsOf(providerID);
      return `aws ec2 create-tags --region ${region} --resources ${id} --tags Key=Machine-UID,Value=${uid}`;
    },
  },
  // Theirs has the zone, or nothing, where ours has the region.
  providerID(theirs, { region }) {
    const [isOne, , id] = partsOf(theirs);
    if (isOne) return { value: `aws:///${String(region)}/${id}` };
    return { fault: `"${theirs}" is not of the form aws:///ZONE/INSTANCE` };
  },
};

function partsOf(providerID: string): [isOne: boolean, place: string, id: string] {
  const [, place = '', id = ''] =
    /^aws:\/\/\/(?:([a-z0-9-]+)\/)?(i-[0-9a-z]+)$/.exec(providerID) ?? [];
  return [id !== '', place, id];
}

function knownType(type: unknown): unknown {
  const types = ['standard', 'gp2', 'gp3', 'io1', 'st1', 'sc1'];
  if (types.includes(String(type))) return type;
  throw new FieldFault(`is none of ${types.join(', ')}`);
}

function isSpot({ isSpotInstance = false }: Fields): boolean {
  return isSpotInstance === true;
}

/** Empty: no limit. */
function maxPriceOf({ spotInstanceConfig }: Fields): string {
  const { maxPrice } = Object(spotInstanceConfig);
  return String(maxPrice ?? '');
}
