/** What the drivers of clouds expect of the Nodes of their machines, by `provider` of the class. */

export interface ProviderRule {
  /** `node.name` of a config that says nothing. */
  nodeName: 'machine' | 'hostname';
  /** `node.cloudProvider` of a config that says nothing. */
  cloudProvider: 'external' | 'none';
  /** Bash that sets `name` to what the cloud calls the machine. Absent: the host name says it. */
  askName?: string;
}

const metadata = 'curl --fail --silent --show-error --retry 8 --max-time 20 --noproxy "*"';

/**
 * As `nodeName` of the instances of each driver in activities/drivers has it. Absent: `machine` and
 * `external`.
 */
const rules: Readonly<Record<string, ProviderRule>> = {
  // The private DNS name. The host name of an image may lack the domain.
  AWS: {
    nodeName: 'hostname',
    cloudProvider: 'external',
    askName: `token=$(${metadata} --request PUT --header 'X-aws-ec2-metadata-token-ttl-seconds: 300' http://169.254.169.254/latest/api/token)
names=$(${metadata} --header "X-aws-ec2-metadata-token: $token" http://169.254.169.254/latest/meta-data/local-hostname)
name=\${names%% *}`,
  },
  // `i-abc` is `izabcz`.
  Alicloud: {
    nodeName: 'hostname',
    cloudProvider: 'external',
    askName: `id=$(${metadata} http://100.100.100.200/latest/meta-data/instance-id)
name=iz\${id#i-}z`,
  },
  local: { nodeName: 'machine', cloudProvider: 'none' },
  virtual: { nodeName: 'machine', cloudProvider: 'none' },
};

export function providerRule(provider: string): ProviderRule {
  return rules[provider] ?? { nodeName: 'machine', cloudProvider: 'external' };
}
