import { instanceResource } from '../../../../activities/drivers/gcp/instance-resource.ts';
import schema from '../../../../activities/drivers/gcp/provider-spec.schema.json' with { type: 'json' };
import { specOf, validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';
import { aRequest } from '../a-request.ts';
import { describeUpstream } from '../upstream.ts';

const request = aRequest('m1', { userData: '#cloud-config\n' });

describeUpstream(
  new URL('upstream.jsonl.gz', import.meta.url),
  {
    schema,
    validate: validateProviderSpec,
    requestOf: (spec) => ({
      input: instanceResource({ request, spec: specOf(spec), project: 'p1' }),
    }),
  },
  {
    'our labels are sent as well': [
      /labels(\.millwright-(cluster|namespace|machine-uid|token))?: nothing/,
    ],
    'an explicit false is sent, which Gardener’s driver loses': [
      /(deletionProtection|canIpForward|boot|autoDelete): nothing -> false/,
      /shieldedInstanceConfig: nothing/,
      /advancedMachineFeatures: nothing -> \{"enableNestedVirtualization":false\}/,
    ],
    'a disk without a type has no address of one': [
      /diskType: "zones\/[^/]+\/diskTypes\/" -> nothing/,
    ],
    'what Google has as a default is said': [/accessConfigs\.0: nothing/, /stackType: nothing/],
    'IPv6 and alias ranges are sent to networks that may have them': [
      /ipv6AccessType: "EXTERNAL" -> nothing/,
      /aliasIpRanges: \[null\] -> nothing/,
    ],
    'what Google refuses is refused at once': [
      /refused: providerSpec\.machineType/,
      /refused: providerSpec\.disks: \d of them have boot/,
      /refused: .*a SCRATCH disk cannot be the boot disk/,
      /refused: .*(sizeGb|provisionedIops|gpu\.count): -1/,
      /refused: .*labels/,
      /refused: providerSpec\.metadata/,
      /refused: .*ipCidrRange/,
      /refused: .*which a preemptible instance needs/,
      /refused: .*serviceAccounts\[0\]\.email/,
    ],
    'network tags by which no instance is found again are refused': [/refused: providerSpec\.tags/],
  },
);
