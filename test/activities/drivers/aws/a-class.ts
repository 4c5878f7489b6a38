/** Provider specs for tests: the least that is valid, and everything at once. */

export interface Parts {
  ami: string;
  subnetId: string;
  securityGroupId: string;
}

const someParts: Parts = { ami: 'ami-1', subnetId: 'subnet-1', securityGroupId: 'sg-1' };

/** As small as Gardener's AWS driver takes it. */
export function aSpec(more: Record<string, unknown> = {}, parts: Parts = someParts) {
  return {
    ami: parts.ami,
    region: 'eu-west-1',
    machineType: 'm5.large',
    iam: { name: 'nodes' },
    networkInterfaces: [{ subnetID: parts.subnetId, securityGroupIDs: [parts.securityGroupId] }],
    blockDevices: [{ ebs: { volumeType: 'gp3', volumeSize: 50 } }],
    tags: { 'kubernetes.io/cluster/shoot': '1', 'kubernetes.io/role/node': '1' },
    ...more,
  };
}
