import { validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';
import { aSpec } from './gcp-world.ts';

const [boot] = aSpec.disks;
const [card] = aSpec.networkInterfaces;
const scratch = { type: 'SCRATCH', interface: 'NVME' };
const spot = { onHostMaintenance: 'TERMINATE', provisioningModel: 'SPOT' };

test('a good spec has no fault; null is absent and unknown fields are ignored', () => {
  expect(validateProviderSpec(aSpec)).toEqual([]);
  expect(validateProviderSpec({ ...aSpec, gpu: null, dualStack: true, apiVersion: 'x' })).toEqual(
    [],
  );
});

test('a spec without anything says all that it needs', () => {
  expect(validateProviderSpec(undefined)).toEqual(
    ['machineType', 'region', 'zone', 'disks', 'networkInterfaces', 'scheduling', 'tags'].map(
      (name) => `providerSpec.${name} is missing`,
    ),
  );
});

describe('a fault names field, value and what is allowed:', () => {
  const gpu = { acceleratorType: 'nvidia-tesla-t4', count: 1 };
  test.each([
    [
      { machineType: '' },
      'providerSpec.machineType: "" is not the name of a machine type, such as "n2-standard-4"',
    ],
    [
      { zone: 'a/b' },
      'providerSpec.zone: "a/b" is not the name of a zone, such as "europe-west1-b"',
    ],
    [{ disks: [] }, 'providerSpec.disks: [] is not a list with at least 1 of them'],
    [
      { disks: [{ ...boot, image: '' }] },
      'providerSpec.disks[0].image is missing: the boot disk needs one',
    ],
    [
      { disks: [{ type: 'pd-ssd' }] },
      'providerSpec.disks: 0 of them have boot: true, not exactly one',
    ],
    [
      { disks: [boot, { type: 'SCRATCH' }] },
      'providerSpec.disks[1].interface: "" is not NVME or SCSI, as a SCRATCH disk needs',
    ],
    [
      { disks: [{ ...boot, ...scratch }] },
      'providerSpec.disks[0].boot: a SCRATCH disk cannot be the boot disk',
    ],
    [
      { disks: [{ ...boot, encryption: { kmsKeyName: ' ' } }] },
      'providerSpec.disks[0].encryption.kmsKeyName: " " is not the name of a key, such as "projects/P/locations/L/keyRings/R/cryptoKeys/K"',
    ],
    [
      { disks: [{ ...boot, encryption: {} }] },
      'providerSpec.disks[0].encryption.kmsKeyName is missing',
    ],
    [
      { disks: [{ ...boot, encryption: { kmsKeyName: 'k', kmsKeyServiceAccount: ' ' } }] },
      'providerSpec.disks[0].encryption.kmsKeyServiceAccount: " " is not the email address of a service account; leave the field out for the Compute Engine service agent',
    ],
    [
      { disks: [{ ...boot, labels: { Bad: 'x' } }] },
      'providerSpec.disks[0].labels: "Bad" is not the key of a label: up to 63 lower-case letters, digits, dashes and underscores, a letter first',
    ],
    [
      { networkInterfaces: [{}] },
      'providerSpec.networkInterfaces[0]: network, subnetwork or both are needed',
    ],
    [
      { networkInterfaces: [{ ...card, stackType: 'IPV6' }] },
      'providerSpec.networkInterfaces[0].stackType: "IPV6" is not IPV4_ONLY or IPV4_IPV6',
    ],
    [
      { networkInterfaces: [{ ...card, ipv6accessType: 'x' }] },
      'providerSpec.networkInterfaces[0].ipv6accessType: "x" is not INTERNAL or EXTERNAL',
    ],
    [
      { networkInterfaces: [{ ...card, ipCidrRange: '/33' }] },
      'providerSpec.networkInterfaces[0].ipCidrRange: "/33" is not the size of a range, "/0" to "/32"',
    ],
    [
      { networkInterfaces: [{ ...card, useAliasIPs: true }] },
      'providerSpec.networkInterfaces[0].ipCidrRange is missing: useAliasIPs needs the size of the range',
    ],
    [
      { metadata: [{ key: 'user-data' }] },
      `providerSpec.metadata[0].key: user-data comes from the Secret's userData`,
    ],
    [
      { metadata: [{ key: 'a' }, { key: 'a' }] },
      'providerSpec.metadata[1].key: "a" is there twice',
    ],
    [
      { metadata: [{ key: 'a b' }] },
      'providerSpec.metadata[0].key: "a b" is not a metadata key: up to 128 letters, digits, dashes and underscores',
    ],
    [
      { labels: { a: 'B' } },
      'providerSpec.labels.a: "B" is not the value of a label: up to 63 lower-case letters, digits, dashes and underscores',
    ],
    [
      { labels: { 'millwright-token': 'x' } },
      'providerSpec.labels.millwright-token: labels that begin with millwright- are set by Millwright',
    ],
    [
      { tags: ['shoot'] },
      'providerSpec.tags: a list of 1 is not a list with a tag that contains kubernetes-io-cluster- and one that contains kubernetes-io-role-: without both no instance is found again',
    ],
    [
      { tags: ['A'] },
      'providerSpec.tags[0]: "A" is not a network tag: up to 63 lower-case letters, digits and dashes, a letter first',
    ],
    [{ scheduling: {} }, 'providerSpec.scheduling.onHostMaintenance is missing'],
    [
      { scheduling: { onHostMaintenance: 'x' } },
      'providerSpec.scheduling.onHostMaintenance: "x" is not one of MIGRATE, TERMINATE',
    ],
    [
      { gpu },
      'providerSpec.scheduling.onHostMaintenance: "MIGRATE" is not TERMINATE, which an instance with a GPU needs',
    ],
    [{ gpu: { ...gpu, count: 0 } }, 'providerSpec.gpu.count: 0 is not 1 or more'],
    [{ gpu: { count: 1 } }, 'providerSpec.gpu.acceleratorType is missing'],
    [
      { scheduling: { ...spot, onHostMaintenance: 'MIGRATE' } },
      'providerSpec.scheduling.onHostMaintenance: "MIGRATE" is not TERMINATE, which a spot instance needs',
    ],
    [
      { scheduling: { ...spot, automaticRestart: true } },
      'providerSpec.scheduling.automaticRestart: true is not false, which a spot instance needs',
    ],
    [
      { scheduling: { onHostMaintenance: 'TERMINATE', preemptible: true, automaticRestart: true } },
      'providerSpec.scheduling.automaticRestart: true is not false, which a preemptible instance needs',
    ],
    [
      {
        scheduling: {
          onHostMaintenance: 'TERMINATE',
          preemptible: true,
          provisioningModel: 'STANDARD',
        },
      },
      'providerSpec.scheduling.preemptible: true contradicts provisioningModel STANDARD',
    ],
    [
      { scheduling: { onHostMaintenance: 'TERMINATE', instanceTerminationAction: 'DELETE' } },
      'providerSpec.scheduling.instanceTerminationAction needs provisioningModel SPOT',
    ],
  ])('%j', (more, fault) => {
    expect(validateProviderSpec({ ...aSpec, ...more })).toEqual([fault]);
  });
});

test('labels of other letters and the end of a spot instance are no faults', () => {
  const scheduling = { ...spot, instanceTerminationAction: 'DELETE' };
  expect(validateProviderSpec({ ...aSpec, scheduling, labels: { größe: 'größe-1' } })).toEqual([]);
});
