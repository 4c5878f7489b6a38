/** A double of EC2 for all tests of a file; each of them begins with an empty cloud. */
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import type { DriverSettings } from '../../../../activities/drivers/settings.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { aRequest } from '../a-request.ts';
import { aSpec } from './a-class.ts';

export interface Ec2World {
  double: Ec2Double;
  settings: DriverSettings;
  /** Of the instances that have the name, or had it. */
  statesOf(name: string): string[];
}

export async function aSharedEc2(): Promise<Ec2World> {
  const double = await startEc2Double();
  beforeEach(() => double.reset());
  afterAll(() => double.close());
  const statesOf = (name: string): string[] =>
    double.instances.filter(({ tags }) => tags['Name'] === name).map(({ state }) => state);
  const settings = { env: { AWS_ENDPOINT_URL: double.url }, allowsAmbientCredentials: false };
  return { double, settings, statesOf };
}

const secret = { accessKeyID: 'key', secretAccessKey: 'secret' };

export function ec2Request(name: string, more: Partial<CreateRequest> = {}): CreateRequest {
  return aRequest(name, { providerSpec: aSpec(), secret, ...more });
}
