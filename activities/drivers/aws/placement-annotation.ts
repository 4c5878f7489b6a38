/**
 * A placement that stands on the Machine, in `spec.nodeTemplate.metadata.annotations`, as MCM's AWS
 * driver reads it.
 */
import type { Placement } from '@aws-sdk/client-ec2';
import { DriverError } from '../driver.ts';

const placementAnnotation = 'machine.sapcloud.io/awsPlacement';

const textFields = [
  'Affinity',
  'AvailabilityZone',
  'AvailabilityZoneId',
  'GroupId',
  'GroupName',
  'HostId',
  'HostResourceGroupArn',
  'SpreadDomain',
  'Tenancy',
] as const;
const numberField = 'PartitionNumber';

/**
 * The JSON of EC2's type Placement. Names count in any case and unknown ones are ignored, as by Go;
 * an empty string counts as none. Undefined when there is no annotation, or nothing in it. Fails
 * with `InvalidArgument`, settled: for creates, which have looked before.
 */
export function annotatedPlacement(
  annotations: Readonly<Record<string, string>> | undefined,
): Placement | undefined {
  const text = annotations?.[placementAnnotation] ?? '';
  if (text === '') return undefined;
  const given = new Map(
    Object.entries(parsed(text)).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const fields: [string, string | number][] = [
    ...textFields.flatMap((name) => textOf(name, given.get(name.toLowerCase()))),
    ...numberOf(numberField, given.get(numberField.toLowerCase())),
  ];
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function parsed(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(text, 'JSON');
  }
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refused(text, 'a JSON object');
  return value;
}

function textOf(name: string, value: unknown): [string, string][] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [[name, value]];
  throw refused(JSON.stringify(value), `a string for ${name}`);
}

function numberOf(name: string, value: unknown): [string, number][] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'number' && Number.isInteger(value)) return [[name, value]];
  throw refused(JSON.stringify(value), `a whole number for ${name}`);
}

function refused(value: string, wanted: string): DriverError {
  const message =
    `Invalid value: spec.nodeTemplate.metadata.annotations[${placementAnnotation}]: ${value} is not ${wanted}. ` +
    `Write a Placement of EC2 as JSON, such as {"Tenancy":"dedicated"}, or use placement of the class`;
  return new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}
