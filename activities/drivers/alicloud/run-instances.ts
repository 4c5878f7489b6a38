/** What RunInstances gets, by the names of the SDK's model; made of nothing but the request. */
import type { CreateRequest } from '../driver.ts';
import { tagsFor, tagValue } from '../frame/tags.ts';
import { base64UserData } from '../user-data-bytes.ts';
import type { DataDisk } from './provider-spec.ts';
import { tagList, tagSpelling } from './tags.ts';
import { specOf } from './validate.ts';

/** Of a client token. */
const ascii = { ...tagSpelling, allowed: /^[\x21-\x7e]{1,64}$/ };

export function runInstances(request: CreateRequest): object {
  const { name } = request.machine;
  const { systemDisk, ...spec } = specOf(request.providerSpec);
  return present({
    regionId: spec.region,
    imageId: spec.imageID,
    instanceType: spec.instanceType,
    vSwitchId: spec.vSwitchID,
    instanceName: name,
    amount: 1,
    clientToken: tagValue(request.token, ascii),
    zoneId: spec.zoneID,
    securityGroupId: spec.securityGroupID,
    privateIpAddress: spec.privateIPAddress,
    instanceChargeType: spec.instanceChargeType,
    internetChargeType: spec.internetChargeType,
    internetMaxBandwidthIn: spec.internetMaxBandwidthIn,
    internetMaxBandwidthOut: spec.internetMaxBandwidthOut,
    spotStrategy: spec.spotStrategy,
    ioOptimized: spec.IoOptimized,
    keyPairName: spec.keyPairName,
    systemDisk: systemDisk && { ...systemDisk, size: String(systemDisk.size) },
    dataDisk: spec.dataDisks?.map((disk) => dataDiskOf(disk, name)),
    tag: tagList(tagsFor(spec.tags, request, tagSpelling)),
    userData: base64UserData(request),
  });
}

function dataDiskOf(disk: DataDisk, machineName: string): object {
  const { name = '', encrypted = false, deleteWithInstance = true, ...rest } = disk;
  const { category, description, size } = rest;
  const diskName = `${machineName}-${name}-data-disk`;
  // Such a disk always goes with its instance, and the cloud does not take the field.
  const goes = category === 'DiskEphemeralSSD' ? undefined : deleteWithInstance;
  const always = { diskName, encrypted: String(encrypted), deleteWithInstance: goes };
  return present({ ...always, category, description, size });
}

/** An empty text is absent: Gardener's driver sends it, and the cloud takes it for absent. */
function present(fields: object): object {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given);
}
