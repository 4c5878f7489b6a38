import schema from '../../../../activities/drivers/aws/provider-spec.schema.json' with { type: 'json' };
import { runInstancesInput } from '../../../../activities/drivers/aws/run-instances-input.ts';
import { specOf } from '../../../../activities/drivers/aws/spec.ts';
import { validateProviderSpec } from '../../../../activities/drivers/aws/validate.ts';
import { aRequest } from '../a-request.ts';
import { describeUpstream } from '../upstream.ts';

const request = aRequest('m1', { userData: 'u' });

describeUpstream(
  new URL('upstream.jsonl.gz', import.meta.url),
  {
    schema,
    validate: validateProviderSpec,
    requestOf: (spec) => ({
      input: runInstancesInput({ request, spec: specOf(spec), rootDeviceName: '/dev/xvda' }),
    }),
  },
  {
    'our tags and a token are sent as well': [
      /Tags\.millwright\.dev\/(cluster|namespace|machine-uid|token): nothing/,
      /ClientToken: nothing/,
    ],
    'an absent `encrypted` is left to EC2 and to a key, and Gardener’s driver sends false': [
      /Ebs\.Encrypted: false -> (nothing|true)/,
    ],
    'fields are sent that Gardener’s driver takes and does not send': [
      /Ebs\.KmsKeyId: nothing/,
      /EbsOptimized: nothing/,
      /Monitoring: nothing/,
      /VirtualName: nothing/,
      // `noDevice` and `virtualName` replace it.
      /BlockDeviceMappings\.0\.Ebs: .* -> nothing/,
    ],
    'of two spellings the one of the schema counts, and with Gardener’s driver the last': [
      /ImageId: "ami-2" -> "ami-1"/,
      /refused: providerSpec\.ami/,
    ],
    'numbers that EC2 refuses are refused': [
      /refused: .*ipv6(Address|Prefix)Count: -1/,
      /refused: .*coreCount: 0/,
    ],
    'numbers that Go cannot hold are left to EC2': [
      /taken: .*deviceIndex=2147483648/,
      /taken: .*volumeSize=5000000000/,
    ],
    'one key may hold both of MCM’s marks': [
      /taken: .*"kubernetes\.io\/cluster\/kubernetes\.io\/role/,
    ],
    'an empty text is absent also where Gardener’s driver refuses it': [
      /taken: .*capacityReservation=\{.*""/,
      /taken: .*placement=\{.*""/,
      /taken: .*cpuOptions=\{.*""/,
    ],
  },
);
