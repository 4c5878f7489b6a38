/**
 * What is wrong with a provider spec. The rules are those of Gardener's AWS driver, the words are
 * ours.
 */
import { specCheck, withoutNulls } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import { classTagsMax, mcmTagMarks, nameTag } from './tags.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

const checkFields = specCheck(schema);

/**
 * Rules that span fields run whatever the schema found, so that a person sees all faults at once.
 */
type Loose = Readonly<Record<string, unknown>>;
type Rule = (spec: Loose) => string[];

const rules: readonly Rule[] = [
  checkIam,
  checkTags,
  checkDeviceNames,
  checkVolumes,
  checkCapacityReservation,
  checkPlacement,
  checkCpuOptions,
];

/**
 * A sentence for each fault; empty when there is none. Null is absent, unknown fields are ignored.
 */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const spec = recordOf(withoutNulls(providerSpec));
  return [...checkFields(providerSpec), ...rules.flatMap((rule) => rule(spec))];
}

function checkIam({ iam }: Loose): string[] {
  // The schema reports its absence.
  if (iam === undefined) return [];
  const { name, arn } = recordOf(iam);
  if (isGiven(name) !== isGiven(arn)) return [];
  return [refusal('providerSpec.iam', iam, 'an object with either name or arn')];
}

function checkTags({ tags }: Loose): string[] {
  if (tags === undefined) return [];
  const keys = Object.keys(recordOf(tags));
  const faults = mcmTagMarks
    .filter((mark) => !keys.some((key) => key.includes(mark)))
    .map((mark) => `providerSpec.tags: no key contains ${mark}; add one, such as ${mark}my-name`);
  const count = keys.filter((key) => key !== nameTag).length;
  if (count > classTagsMax) {
    faults.push(
      `providerSpec.tags: ${count} are more than ${classTagsMax}, as EC2 takes 50 and two are ours`,
    );
  }
  return faults;
}

const dataDeviceName = /^\/dev\/(sd[a-z]|xvd[a-c][a-z]?)$/;
const rootDeviceName = '/root';

/** With one disk the name is of no matter: it is the root. */
function checkDeviceNames({ blockDevices }: Loose): string[] {
  const names = listOf(blockDevices).map(({ deviceName }) => deviceName);
  if (names.length < 2) return [];
  const faults = names.flatMap((name, index) => {
    if (name === rootDeviceName || (typeof name === 'string' && dataDeviceName.test(name)))
      return [];
    const path = `providerSpec.blockDevices[${index}].deviceName`;
    return [refusal(path, name, `${rootDeviceName}, /dev/sd[a-z] or /dev/xvd[a-c][a-z]`)];
  });
  const roots = names.filter((name) => name === rootDeviceName).length;
  if (roots !== 1) {
    faults.push(
      `providerSpec.blockDevices: ${roots} of them are ${rootDeviceName}; exactly one has to be`,
    );
  }
  return [...faults, ...checkUnique(names.filter((name) => name !== rootDeviceName))];
}

function checkUnique(names: readonly unknown[]): string[] {
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated]
    .filter(isGiven)
    .map(
      (name) =>
        `providerSpec.blockDevices: several have the deviceName ${name}; each needs its own`,
    );
}

function checkVolumes({ blockDevices }: Loose): string[] {
  return listOf(blockDevices).flatMap(({ ebs, noDevice, virtualName }, index) => {
    const path = `providerSpec.blockDevices[${index}]`;
    if (ebs === undefined) {
      return isGiven(noDevice) || isGiven(virtualName) ? [] : [`${path}.ebs is missing`];
    }
    const { volumeType, iops } = recordOf(ebs);
    if (volumeType !== 'io1' || (iops !== undefined && iops !== 0)) return [];
    return [refusal(`${path}.ebs.iops`, iops, '1 or more, as volumeType io1 needs it')];
  });
}

function checkCapacityReservation({ capacityReservation }: Loose): string[] {
  const names = [
    'capacityReservationPreference',
    'capacityReservationId',
    'capacityReservationResourceGroupArn',
  ];
  const fields = recordOf(capacityReservation);
  const given = names.filter((name) => isGiven(fields[name]));
  if (given.length < 2) return [];
  return [`providerSpec.capacityReservation: ${given.join(' and ')} exclude each other; keep one`];
}

function checkPlacement({ placement }: Loose): string[] {
  const { hostId, tenancy } = recordOf(placement);
  if (!isGiven(hostId) || tenancy === 'host') return [];
  return [refusal('providerSpec.placement.tenancy', tenancy, 'host, as hostId needs it')];
}

function checkCpuOptions({ cpuOptions }: Loose): string[] {
  const fields = recordOf(cpuOptions);
  const pair = ['coreCount', 'threadsPerCore'];
  const missing = pair.filter((name) => fields[name] === undefined);
  if (missing.length !== 1) return [];
  const path = `providerSpec.cpuOptions.${missing.join('')}`;
  return [`${path} is missing: ${pair.join(' and ')} belong together`];
}

function isGiven(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function recordOf(value: unknown): Loose {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

function listOf(value: unknown): Loose[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}
