/** Classes whose fields are right one by one, and which EC2 refuses all the same. */
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import { armImage, foreignGroup } from '../../../doubles/ec2/launch-rules.ts';
import { failureOf } from '../failure-of.ts';
import { aSpec } from './a-class.ts';
import { aSharedEc2, ec2Request } from './ec2-world.ts';
import { createdBy } from '../following.ts';

const { double, settings } = await aSharedEc2();
const network = { subnetID: 'subnet-1', securityGroupIDs: ['sg-1'] };

const withNetworks = (...networkInterfaces: object[]): object => ({ networkInterfaces });

test.each([
  {
    name: 'an image of another architecture',
    spec: { ami: armImage },
    code: 'InvalidParameterValue',
    words: "The architecture 'x86_64' of the specified instance type",
  },
  {
    name: 'a group of another VPC',
    spec: withNetworks({ ...network, securityGroupIDs: ['sg-1', foreignGroup] }),
    code: 'InvalidParameter',
    words: 'belong to different networks',
  },
  {
    name: 'a public address with two interfaces',
    spec: withNetworks({ ...network, associatePublicIPAddress: true }, network),
    code: 'InvalidParameterCombination',
    words: 'multiple network interfaces',
  },
  {
    name: 'no hop for the metadata',
    spec: { instanceMetadataOptions: { httpPutResponseHopLimit: 0 } },
    code: 'InvalidParameterValue',
    words: 'HttpPutResponseHopLimit',
  },
])('$name is a fault of the class in the words of EC2, and nothing was made', async (row) => {
  const driver = createAwsDriver(settings, { callTimeoutSeconds: 600 });
  const providerSpec = aSpec({ ...row.spec });
  expect(driver.validate(providerSpec)).toEqual([]);
  const failure = await failureOf(createdBy(driver, ec2Request('refused', { providerSpec })));
  expect(failure).toMatchObject({ code: 'InvalidArgument', kind: 'input', settled: true });
  expect(failure.message).toContain(`RunInstances: ${row.code}: `);
  expect(failure.message).toContain(row.words);
  expect(double.instances).toEqual([]);
});
