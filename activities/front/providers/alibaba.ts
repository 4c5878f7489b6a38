/** Alibaba Cloud: instances of ECS, of `provider: Alicloud`. */
import type { ProviderTable } from './table.ts';
import { wholeNumber } from './read-values.ts';

const ofFront = 'a field of Millwright, which machine-controller refuses';

export const alibaba: ProviderTable = {
  cloudProvider: 'alibaba',
  provider: 'Alicloud',
  rows: [
    {
      theirs: 'accessKeyID',
      secret: 'alicloudAccessKeyID',
      env: 'ALIBABA_ACCESS_KEY_ID',
      required: 'write the ID of an access key',
    },
    {
      theirs: 'accessKeySecret',
      secret: 'alicloudAccessKeySecret',
      env: 'ALIBABA_ACCESS_KEY_SECRET',
      required: 'write the secret of the access key',
    },
    { theirs: 'regionID', ours: 'region', required: 'write a region, such as eu-central-1' },
    {
      theirs: 'instanceName',
      ignored: 'an instance has the name of its Machine, also with machine-controller',
    },
    {
      theirs: 'instanceType',
      ours: 'instanceType',
      required: 'write an instance type, such as ecs.g7.large',
    },
    { theirs: 'vSwitchID', ours: 'vSwitchID', required: 'write the ID of a vSwitch' },
    {
      theirs: 'internetMaxBandwidthOut',
      ours: 'internetMaxBandwidthOut',
      required: 'write Mbit/s; above 0 the instance gets a public address',
      to: wholeNumber,
      back: String,
    },
    { theirs: 'labels', ignored: 'machine-controller sets them nowhere either' },
    { theirs: 'zoneID', ours: 'zoneID', required: 'write the zone of the vSwitch' },
    {
      theirs: 'diskType',
      ours: 'systemDisk.category',
      required: 'write the category of the system disk, such as cloud_essd',
    },
    {
      theirs: 'diskSize',
      ours: 'systemDisk.size',
      required: 'write the GiB of the system disk and of the data disk',
      to: wholeNumber,
      back: String,
    },
    {
      theirs: 'imageID',
      ours: 'imageID',
      env: 'ALIBABA_IMAGE_ID',
      required: `write the ID of an image (${ofFront}), or set ALIBABA_IMAGE_ID of the front: machine-controller takes the last image of Ubuntu 22.04 that the cloud lists at each create`,
    },
    {
      theirs: 'securityGroupID',
      ours: 'securityGroupID',
      env: 'ALIBABA_SECURITY_GROUP_ID',
      required: `write the ID of a security group in the VPC of the vSwitch (${ofFront}), or set ALIBABA_SECURITY_GROUP_ID of the front: machine-controller names none`,
    },
  ],
  more({ diskSize }, { cluster }) {
    const hasSize = /^\d{1,9}$/.test(String(diskSize));
    return {
      providerSpec: {
        // Theirs has a second disk of the same size.
        ...(hasSize && { dataDisks: [{ name: 'data', size: Number(diskSize) }] }),
        tags: {
          [`kubernetes.io/cluster/${cluster}`]: '1',
          [`kubernetes.io/role/worker/${cluster}`]: '1',
        },
      },
    };
  },
  findsInstanceBy: {
    tag: 'machine_uid',
    command(id, uid) {
      const [region, instance] = id.split('.');
      return `aliyun ecs TagResources --RegionId ${region} --ResourceType instance --ResourceId.1 ${instance} --Tag.1.Key machine_uid --Tag.1.Value ${uid}`;
    },
  },
  providerID(theirs) {
    if (/^[a-z0-9-]+\.i-[a-z0-9]+$/.test(theirs)) return { value: theirs };
    return {
      fault: `spec.providerID "${theirs}" is not of the form REGION.INSTANCEID, such as eu-central-1.i-gw8abc`,
    };
  },
};
