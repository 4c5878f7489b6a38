/** What RunInstances refuses, as the SDK's description of its parameters says. */
import { itemsOf } from './model.ts';
import { Refusal } from '../rest/refusal.ts';

type Query = Readonly<Record<string, string>>;

const required = ['RegionId', 'ImageId', 'InstanceType', 'SecurityGroupId', 'VSwitchId'] as const;

const values: Readonly<Record<string, readonly string[]>> = {
  InstanceChargeType: ['PrePaid', 'PostPaid'],
  InternetChargeType: ['PayByBandwidth', 'PayByTraffic'],
  SpotStrategy: ['NoSpot', 'SpotWithPriceLimit', 'SpotAsPriceGo'],
  IoOptimized: ['none', 'optimized'],
};

/** Of an instance, and of a disk. */
const name = /^[\p{L}][\p{L}\p{N}:_.-]{1,127}$/u;

export function requireRunnable(query: Query): void {
  for (const field of required) {
    if (!query[field])
      refuse(`Missing${field}`, `The input parameter "${field}" that is mandatory`);
  }
  const [odd] = Object.entries(values).filter(
    ([field, allowed]) => query[field] !== undefined && !allowed.includes(query[field]),
  );
  if (odd) refuse(`Invalid${odd[0]}.ValueNotSupported`, `The specified ${odd[0]} is not valid.`);
  if (!name.test(query['InstanceName'] ?? '')) {
    refuse('InvalidInstanceName.Malformed', 'The specified InstanceName is not valid.');
  }
  if ((query['ClientToken'] ?? '').length > 64) refuse('InvalidParameter', 'ClientToken');
  requireUserData(query['UserData'] ?? '');
  requireTags(query);
  requireDisks(query);
  requireBandwidth(Number(query['InternetMaxBandwidthOut'] ?? 0));
}

function requireUserData(text: string): void {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) {
    refuse('InvalidUserData.Base64FormatInvalid', 'The specified UserData is not valid.');
  }
  if (bytes.length > 32 * 1_024) {
    refuse('InvalidUserData.SizeExceeded', 'The specified UserData exceeds the size.');
  }
}

export function requireTags(query: Query): void {
  const tags = itemsOf(query, 'Tag');
  if (tags.length > 20) refuse('InvalidTagCount', 'The specified tags are beyond the range.');
  for (const { Key: key = '', Value: value = '' } of tags) {
    const isKey = /^(?!aliyun|acs:)(?!.*https?:\/\/).{1,128}$/.test(key);
    if (!isKey) refuse('InvalidTagKey.Malformed', 'The specified Tag.n.Key is not valid.');
    const isValue = /^(?!.*https?:\/\/).{0,128}$/.test(value);
    if (!isValue) refuse('InvalidTagValue.Malformed', 'The specified Tag.n.Value is not valid.');
  }
}

function requireDisks(query: Query): void {
  for (const { DiskName: diskName, Description: description } of itemsOf(query, 'DataDisk')) {
    if (diskName !== undefined && !name.test(diskName)) {
      refuse('InvalidDiskName.Malformed', 'The specified disk name is wrongly formed.');
    }
    if (description !== undefined && !/^(?!https?:\/\/).{2,256}$/.test(description)) {
      refuse('InvalidDiskDescription.Malformed', 'The specified disk description is not valid.');
    }
  }
}

function requireBandwidth(out: number): void {
  if (out < 0 || out > 100) {
    refuse(
      'InvalidInternetMaxBandwidthOut.ValueNotSupported',
      'The bandwidth is beyond the range.',
    );
  }
}

function refuse(code: string, message: string): never {
  throw new Refusal(400, code, message);
}
