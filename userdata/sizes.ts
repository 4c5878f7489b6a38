/** What clouds take as user data. */
import { gzipSync } from 'node:zlib';

export interface SizeLimit {
  /** Most bytes of text. */
  bytes: number;
  /**
   * Most bytes of what gzip made. Absent: the cloud, our driver, or cloud-init with what our driver
   * says of the data takes text only.
   */
  gzipBytes?: number;
}

const KiB = 1024;

/** Bytes whose base64 has this length at most. */
const beforeBase64 = (length: number): number => Math.floor(length / 4) * 3;

/**
 * By `provider` of the class. Absent: no limit is known, and nothing is checked; so it is with
 * metal, anexia and vmware-cloud-director.
 */
export const sizeLimits: Readonly<Record<string, SizeLimit>> = {
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html: before base64.
  AWS: { bytes: 16 * KiB, gzipBytes: 16 * KiB },
  // `osProfile.customData` of the API of virtual machines: what its base64 decodes to.
  Azure: { bytes: 65_535, gzipBytes: 65_535 },
  // `metadata.items[].value` of the API of Compute Engine, which is text.
  GCP: { bytes: 256 * KiB },
  // https://docs.openstack.org/nova/latest/user/metadata.html#user-data: of base64.
  OpenStack: { bytes: beforeBase64(65_535), gzipBytes: beforeBase64(65_535) },
  // `GUESTMSG_MAX_IN_SIZE` of open-vm-tools: of base64, in which cloud-init unpacks no gzip unless
  // the driver called it `gzip+base64`.
  vsphere: { bytes: beforeBase64(64 * KiB) },
  // `MaxSecretSize` of Kubernetes: the driver puts them in a Secret.
  kubevirt: { bytes: 1024 * KiB, gzipBytes: 1024 * KiB },
  // `user_data` of POST /servers. Its API takes text, so that bytes travel as base64.
  hcloud: { bytes: 32 * KiB, gzipBytes: beforeBase64(32 * KiB) },
  // `user_data` of POST /v2/droplets, which is text.
  digitalocean: { bytes: 64 * KiB },
  // `UserData` of RunInstances: before base64.
  Alicloud: { bytes: 32 * KiB, gzipBytes: 32 * KiB },
  // `metadata` of the API of Compute Cloud, which is text: a value has 256 KB at most.
  yandex: { bytes: 256_000 },
  // The hypervisor's limit of a guest customization, by its provider of Cluster API: of base64.
  nutanix: { bytes: beforeBase64(32_000), gzipBytes: beforeBase64(32_000) },
};

/**
 * The text, or the same packed by gzip where only that fits; or a sentence with size and limit.
 * Ignition unpacks no whole document. The same text gives the same bytes on processors of one kind.
 */
export function fitted(
  text: string,
  { provider, format }: { provider: string; format: 'cloud-init' | 'ignition' },
): { userData: string | Uint8Array } | { fault: string } {
  const limit = Object.hasOwn(sizeLimits, provider) ? sizeLimits[provider] : undefined;
  const bytes = Buffer.byteLength(text);
  if (!limit || bytes <= limit.bytes) return { userData: text };
  const { gzipBytes } = limit;
  if (gzipBytes === undefined || format === 'ignition') {
    return { fault: `the user data have ${bytes} bytes: ${provider} takes ${limit.bytes}` };
  }
  const userData = packed(text);
  if (userData.length <= gzipBytes) return { userData };
  const sizes = `${bytes} bytes, ${userData.length} with gzip`;
  return { fault: `the user data have ${sizes}: ${provider} takes ${gzipBytes}` };
}

/** Without a time, and with the system that RFC 1952 has for an unknown one. */
function packed(text: string): Uint8Array {
  const bytes = gzipSync(text, { level: 9 });
  bytes[9] = 255;
  return bytes;
}
