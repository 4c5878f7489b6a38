/** What the drivers of clouds expect of the Nodes of their machines, by `provider` of the class. */

export interface ProviderRule {
  /** `node.name` of a config that says nothing. */
  nodeName: 'machine' | 'hostname';
  /** `node.cloudProvider` of a config that says nothing. */
  cloudProvider: 'external' | 'none';
  /** Bash that sets `answer` to what the cloud calls the machine. Absent: the host name says it. */
  askName?: string;
  /**
   * Bash that sets `answer` to the Node's providerID, where no cloud controller manager does.
   * Absent: it has none then.
   */
  askProviderID?: string;
}

const get = 'curl --fail --silent --show-error --retry 8 --max-time 20 --noproxy "*"';
const ofAws = (path: string): string => `$(aws_metadata ${path})`;
const askAws = `aws_metadata() {
  token=$(${get} --request PUT --header 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token)
  ${get} --header "X-aws-ec2-metadata-token: $token" "http://169.254.169.254/latest/meta-data/$1"
}`;
const ofGoogle = (path: string): string =>
  `$(${get} --header 'Metadata-Flavor: Google' http://169.254.169.254/computeMetadata/v1/${path})`;

/**
 * As `nodeName` of the instances of each driver in activities/drivers has it. Absent: `machine` and
 * `external`.
 */
const rules: Readonly<Record<string, ProviderRule>> = {
  // The private DNS name. The host name of an image may lack the domain.
  AWS: {
    nodeName: 'hostname',
    cloudProvider: 'external',
    askName: `${askAws}
names=${ofAws('local-hostname')}
answer=\${names%% *}`,
    askProviderID: `${askAws}
zone=${ofAws('placement/availability-zone')}
id=${ofAws('instance-id')}
answer=aws:///$zone/$id`,
  },
  GCP: {
    nodeName: 'machine',
    cloudProvider: 'external',
    askProviderID: `zone=${ofGoogle('instance/zone')}
project=${ofGoogle('project/project-id')}
id=${ofGoogle('instance/name')}
answer=gce://$project/\${zone##*/}/$id`,
  },
  Azure: {
    nodeName: 'machine',
    cloudProvider: 'external',
    askProviderID: `id=$(${get} --header 'Metadata: true' 'http://169.254.169.254/metadata/instance/compute/resourceId?api-version=2021-02-01&format=text')
answer=azure://$id`,
  },
  // `i-abc` is `izabcz`.
  Alicloud: {
    nodeName: 'hostname',
    cloudProvider: 'external',
    askName: `id=$(${get} http://100.100.100.200/latest/meta-data/instance-id)
answer=iz\${id#i-}z`,
  },
  local: { nodeName: 'machine', cloudProvider: 'none' },
  virtual: { nodeName: 'machine', cloudProvider: 'none' },
};

export function providerRule(provider: string): ProviderRule {
  return rules[provider] ?? { nodeName: 'machine', cloudProvider: 'external' };
}
