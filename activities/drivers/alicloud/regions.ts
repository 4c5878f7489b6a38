/** Where Alibaba Cloud's ECS answers, by region. */

/** It becomes the name of a host. */
export function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z]{2,3}(-[a-z0-9]+){1,4}$/.test(region);
}

/** `https://ecs.REGION.aliyuncs.com`, but for those of the SDK's list that have another host. */
export function endpointOf(region: string): URL {
  const host = Object.hasOwn(hosts, region) ? hosts[region] : undefined;
  return new URL(`https://${host ?? `ecs.${region}.aliyuncs.com`}`);
}

const central = 'ecs.aliyuncs.com';
const hangzhou = 'ecs-cn-hangzhou.aliyuncs.com';

const hosts: Readonly<Record<string, string>> = {
  'cn-hangzhou': hangzhou,
  'cn-shanghai-finance-1': hangzhou,
  'cn-shenzhen-finance-1': hangzhou,
  'cn-hangzhou-finance': central,
  'cn-north-2-gov-1': central,
  'cn-beijing-gov-1': central,
  'cn-wuhan': central,
  'cn-zhangbei': central,
  'cn-fujian': hangzhou,
};
