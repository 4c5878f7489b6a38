/** What RunInstances gets, by the names of the SDK's model; made of nothing but the request. */
import { createHash } from 'node:crypto';
import { defined } from '../../../workflows/values/defined.ts';
import type { CreateRequest } from '../driver.ts';
import { tagsFor } from '../frame/tags.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { AlicloudProviderSpec, DataDisk } from './provider-spec.ts';
import { tagSpelling } from './tags.ts';
import { specOf } from './validate.ts';

export interface RunInstances {
  instanceName: string;
  clientToken: string;
  tag: { key: string; value: string }[];
  userData?: string;
  imageId: string;
  instanceType: string;
  vSwitchId: string;
  systemDisk?: object;
  dataDisk?: object[];
  [name: string]: unknown;
}

/** An empty text is absent: so is one that Gardener's driver sends, to the cloud. */
export function runInstances(request: CreateRequest): RunInstances {
  const spec = specOf(request.providerSpec);
  const { systemDisk, dataDisks = [] } = spec;
  const { name } = request.machine;
  const tags = tagsFor(spec.tags, request, tagSpelling);
  return {
    instanceName: name,
    clientToken: clientTokenOf(request.token),
    imageId: spec.imageID,
    instanceType: spec.instanceType,
    vSwitchId: spec.vSwitchID,
    ...textsOf(spec),
    ...defined({
      internetMaxBandwidthIn: spec.internetMaxBandwidthIn,
      internetMaxBandwidthOut: spec.internetMaxBandwidthOut,
    }),
    ...(systemDisk && {
      systemDisk: { category: systemDisk.category, size: String(systemDisk.size) },
    }),
    ...(dataDisks.length > 0 && { dataDisk: dataDisks.map((disk) => dataDiskOf(disk, name)) }),
    tag: Object.entries(tags).map(([key, value]) => ({ key, value })),
    userData: base64UserData(request),
  };
}

function textsOf(spec: AlicloudProviderSpec): Record<string, string> {
  const texts = {
    zoneId: spec.zoneID,
    securityGroupId: spec.securityGroupID,
    privateIpAddress: spec.privateIPAddress,
    instanceChargeType: spec.instanceChargeType,
    internetChargeType: spec.internetChargeType,
    spotStrategy: spec.spotStrategy,
    ioOptimized: spec.IoOptimized,
    keyPairName: spec.keyPairName,
  };
  return Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => (text ? [[key, text]] : [])),
  );
}

function dataDiskOf(disk: DataDisk, machineName: string): object {
  const { name = '', category, description, encrypted = false, size } = disk;
  return {
    ...(category && { category }),
    encrypted: String(encrypted),
    diskName: diskNameOf(machineName, name),
    ...(description && { description }),
    ...(size && { size }),
    // Such a disk always goes with its instance, and the cloud does not take the field.
    ...(category !== 'DiskEphemeralSSD' && { deleteWithInstance: disk.deleteWithInstance ?? true }),
  };
}

/** As with Gardener's driver. */
export function diskNameOf(machineName: string, diskName: string): string {
  return `${machineName}-${diskName}-data-disk`;
}

/** At most 64 characters of ASCII; a digest has just so many. */
export function clientTokenOf(token: string): string {
  if (/^[\x21-\x7e]{1,64}$/.test(token)) return token;
  return createHash('sha256').update(token).digest('hex');
}
