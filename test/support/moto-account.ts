/**
 * What a class needs to find in an AWS account, made in moto with the real SDK; and a look at what
 * is there.
 */
import { EC2, type Filter, type Instance } from '@aws-sdk/client-ec2';

export const motoSecret = {
  providerAccessKeyId: 'test-access-key',
  providerSecretAccessKey: 'test-secret-key',
} as const;

export const motoRegion = 'eu-west-1';

export interface MotoAccount {
  ec2: EC2;
  ami: string;
  subnetId: string;
  securityGroupId: string;
  /** In all states. */
  instances(): Promise<Instance[]>;
  instancesOf(machineName: string): Promise<Instance[]>;
  /** Those that run, with the names and addresses of their Nodes. */
  nodes(): Promise<{ providerID: string; name: string; address: string | undefined }[]>;
  close(): void;
}

export async function aMotoAccount(url: string, region: string = motoRegion): Promise<MotoAccount> {
  const { providerAccessKeyId, providerSecretAccessKey } = motoSecret;
  const ec2 = new EC2({
    region,
    endpoint: url,
    credentials: { accessKeyId: providerAccessKeyId, secretAccessKey: providerSecretAccessKey },
  });
  await makeInstanceProfile(url, 'nodes');
  const { Vpc } = await ec2.createVpc({ CidrBlock: '10.0.0.0/16' });
  const VpcId = present(Vpc?.VpcId);
  const { Subnet } = await ec2.createSubnet({ VpcId, CidrBlock: '10.0.0.0/20' });
  const group = { VpcId, GroupName: 'machines', Description: 'of the machines' };
  const { GroupId } = await ec2.createSecurityGroup(group);
  const { Images = [] } = await ec2.describeImages({ Owners: ['amazon'] });
  const image = Images.find(({ RootDeviceName }) => RootDeviceName !== undefined);
  return {
    ec2,
    ami: present(image?.ImageId),
    subnetId: present(Subnet?.SubnetId),
    securityGroupId: present(GroupId),
    instances: () => instancesIn(ec2),
    instancesOf: (machineName) => instancesIn(ec2, [{ Name: 'tag:Name', Values: [machineName] }]),
    async nodes() {
      const running = (await instancesIn(ec2)).filter(({ State }) => State?.Name === 'running');
      return running.flatMap(({ InstanceId, PrivateDnsName: name, PrivateIpAddress: address }) =>
        name ? [{ providerID: `aws:///${region}/${InstanceId}`, name, address }] : [],
      );
    },
    close: () => ec2.destroy(),
  };
}

async function instancesIn(ec2: EC2, Filters: Filter[] = []): Promise<Instance[]> {
  const { Reservations = [] } = await ec2.describeInstances({ Filters });
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}

/**
 * By hand: the client of IAM is not among our packages. moto tells services apart by the signature.
 */
async function makeInstanceProfile(url: string, name: string): Promise<void> {
  const scope = 'test/20260101/us-east-1/iam/aws4_request';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    },
    body: new URLSearchParams({
      Action: 'CreateInstanceProfile',
      Version: '2010-05-08',
      InstanceProfileName: name,
    }),
  });
  const answer = await response.text();
  // Another account of the same server may have it made.
  if (!response.ok && !answer.includes('EntityAlreadyExists')) throw new Error(answer);
}

function present(value: string | undefined): string {
  if (value === undefined) throw new Error('moto did not say the identity of what it made');
  return value;
}
