/** The double's answers to the calls. */
import type { Cloud, StoredInstance } from './cloud.ts';
import { isTrue, itemsOf, type CallName } from './model.ts';
import { Refusal } from '../rest/refusal.ts';
import { requireRunnable, requireTags } from './rules.ts';

export interface Asked {
  cloud: Cloud;
  query: Readonly<Record<string, string>>;
  now: number;
}

export function answerTo(action: CallName, asked: Asked): object {
  return answers[action](asked);
}

const answers: Readonly<Record<CallName, (asked: Asked) => object>> = {
  RunInstances({ cloud, query, now }) {
    requireRunnable(query);
    return { InstanceIdSets: { InstanceIdSet: [cloud.run(query, now)] } };
  },
  DescribeInstances: describe,
  DeleteInstance({ cloud, query, now }) {
    cloud.delete(query['InstanceId'] ?? '', isTrue(query['Force']), now);
    return {};
  },
  GetInstanceConsoleOutput({ cloud, query, now }) {
    requireRegion(query);
    const { id, console = '' } = cloud.find(query['InstanceId'] ?? '', now);
    return {
      InstanceId: id,
      ConsoleOutput: Buffer.from(console).toString('base64'),
      LastUpdateTime: new Date(now).toISOString(),
    };
  },
  TagResources({ cloud, query, now }) {
    requireRegion(query);
    requireTags(query);
    const { tags } = cloud.find(query['ResourceId.1'] ?? '', now);
    for (const { Key: key = '', Value: value = '' } of itemsOf(query, 'Tag')) tags[key] = value;
    if (Object.keys(tags).length > 20) throw new Refusal(400, 'InvalidTagCount', 'Too many tags.');
    return {};
  },
};

function requireRegion(query: Asked['query']): void {
  if (!query['RegionId']) throw new Refusal(400, 'MissingParameter', 'RegionId is mandatory.');
}

/** Without `MaxResults` a page has ten, with it at least ten and at most a hundred. */
function describe({ cloud, query, now }: Asked): object {
  requireRegion(query);
  const found = cloud.shown(now).filter((instance) => isMeant(instance, query));
  const size = Math.min(100, Math.max(10, Number(query['MaxResults'] ?? 10)));
  const start = startIn(query['NextToken']);
  const end = start + size;
  return {
    PageSize: size,
    TotalCount: found.length,
    NextToken: end < found.length ? Buffer.from(`page ${end}`).toString('hex') : '',
    Instances: { Instance: found.slice(start, end).map((one) => shown(cloud, one, now)) },
  };
}

function startIn(token: string | undefined): number {
  if (token === undefined) return 0;
  const [, start] = /^page (\d+)$/.exec(Buffer.from(token, 'hex').toString()) ?? [];
  if (start === undefined) throw new Refusal(400, 'InvalidNextToken', 'NextToken is not valid.');
  return Number(start);
}

function isMeant({ id, name, region, tags }: StoredInstance, query: Asked['query']): boolean {
  const { InstanceIds: ids, InstanceName: pattern } = query;
  if (region !== query['RegionId']) return false;
  if (ids !== undefined && !JSON.parse(ids).includes(id)) return false;
  if (pattern !== undefined && !matcher(pattern).test(name)) return false;
  return itemsOf(query, 'Tag').every(({ Key: key = '', Value: value }) =>
    value === undefined ? tags[key] !== undefined : tags[key] === value,
  );
}

/** An asterisk is a wildcard; upper case does not count. */
function matcher(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[^\w]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'i');
}

function shown(cloud: Cloud, instance: StoredInstance, now: number): object {
  const { id, name, region, query, tags, createdAt, locks = [] } = instance;
  return {
    InstanceId: id,
    InstanceName: name,
    RegionId: region,
    ZoneId: query['ZoneId'] ?? `${region}a`,
    Status: cloud.statusOf(instance, now),
    // To the minute, as the cloud says it.
    CreationTime: `${new Date(createdAt).toISOString().slice(0, 16)}Z`,
    InstanceType: query['InstanceType'],
    ImageId: query['ImageId'],
    SpotStrategy: query['SpotStrategy'] ?? 'NoSpot',
    InstanceChargeType: query['InstanceChargeType'] ?? 'PostPaid',
    DeletionProtection: instance.isProtected ?? false,
    Tags: { Tag: Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })) },
    OperationLocks: { LockReason: locks.map((LockReason) => ({ LockReason })) },
    VpcAttributes: {
      VSwitchId: query['VSwitchId'],
      PrivateIpAddress: {
        IpAddress: [`10.0.${Number(id.slice(-3)) >> 8}.${Number(id.slice(-3)) % 256}`],
      },
    },
    PublicIpAddress: {
      IpAddress: Number(query['InternetMaxBandwidthOut'] ?? 0) > 0 ? ['8.8.4.4'] : [],
    },
    EipAddress: { IpAddress: '' },
    NetworkInterfaces: { NetworkInterface: [] },
  };
}
