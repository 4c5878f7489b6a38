/** The volumes of an instance, as EC2 wants to hear of them. */
import type { BlockDeviceMapping, EbsBlockDevice } from '@aws-sdk/client-ec2';
import { presentText } from './present-text.ts';
import type { AwsBlockDevice, AwsEbsVolume } from './provider-spec.ts';

/** `rootDeviceName`: of the image. A device that is the only one is the root, whatever its name. */
export function blockDevicesOf(
  devices: readonly AwsBlockDevice[],
  rootDeviceName: string,
): BlockDeviceMapping[] {
  return devices.map((device) => {
    const isRoot = devices.length === 1 || device.deviceName === '/root';
    return { DeviceName: isRoot ? rootDeviceName : device.deviceName, ...mappingOf(device) };
  });
}

/** EC2 takes one of the three. */
function mappingOf({ ebs, noDevice, virtualName }: AwsBlockDevice): BlockDeviceMapping {
  // The presence of the field counts, not its text.
  if (presentText(noDevice) !== undefined) return { NoDevice: '' };
  const VirtualName = presentText(virtualName);
  if (VirtualName !== undefined) return { VirtualName };
  return ebs ? { Ebs: volumeOf(ebs) } : {};
}

function volumeOf(from: AwsEbsVolume): EbsBlockDevice {
  const kmsKeyId = presentText(from.kmsKeyID);
  const encrypted = from.encrypted ?? (kmsKeyId === undefined ? undefined : true);
  return {
    VolumeType: from.volumeType,
    VolumeSize: from.volumeSize,
    Iops: from.iops === 0 ? undefined : from.iops,
    Throughput: from.throughput,
    Encrypted: encrypted,
    // Gardener's driver never sends the key, so there are classes with a key and without
    // encryption. EC2 refuses both.
    KmsKeyId: encrypted === true ? kmsKeyId : undefined,
    SnapshotId: presentText(from.snapshotID),
    DeleteOnTermination: from.deleteOnTermination ?? true,
  };
}
