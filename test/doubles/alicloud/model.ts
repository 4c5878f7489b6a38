/**
 * Checks the query of a request by the SDK's own models, which are made of the published
 * description: each parameter by its name and type. What the models do not know is refused, though
 * the cloud would ignore it.
 */
import { DeleteInstanceRequest } from '@alicloud/ecs20140526/dist/models/DeleteInstanceRequest.js';
import { DescribeInstancesRequest } from '@alicloud/ecs20140526/dist/models/DescribeInstancesRequest.js';
import { GetInstanceConsoleOutputRequest } from '@alicloud/ecs20140526/dist/models/GetInstanceConsoleOutputRequest.js';
import { RunInstancesRequest } from '@alicloud/ecs20140526/dist/models/RunInstancesRequest.js';
import { TagResourcesRequest } from '@alicloud/ecs20140526/dist/models/TagResourcesRequest.js';

export const models = {
  RunInstances: RunInstancesRequest,
  DescribeInstances: DescribeInstancesRequest,
  DeleteInstance: DeleteInstanceRequest,
  GetInstanceConsoleOutput: GetInstanceConsoleOutputRequest,
  TagResources: TagResourcesRequest,
} as const;

export type CallName = keyof typeof models;

export function isCallName(name: unknown): name is CallName {
  return typeof name === 'string' && Object.hasOwn(models, name);
}

type Query = Readonly<Record<string, string>>;
/** A primitive's name, a list of another, or a model. */
type Type = string | { type: 'array'; itemType: Type } | Described;

interface Described {
  names: () => Record<string, string>;
  types: () => Record<string, Type>;
}

/** The parameters that the model does not know, or that have another type. */
export function faultsOf(action: CallName, query: Query): string[] {
  return Object.entries(query).flatMap(([name, value]) =>
    isOf(models[action], name.split('.'), value) ? [] : [name],
  );
}

function isOf(type: Type | undefined, [step, ...rest]: string[], value: string): boolean {
  if (type === undefined) return false;
  if (typeof type === 'string') return step === undefined && isPrimitive(type, value);
  if (step === undefined) return false;
  if ('itemType' in type) return /^[1-9]\d*$/.test(step) && isOf(type.itemType, rest, value);
  const key = Object.entries(type.names()).find(([, wireName]) => wireName === step)?.[0];
  return key !== undefined && isOf(type.types()[key], rest, value);
}

function isPrimitive(type: string, value: string): boolean {
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(value);
  if (type === 'boolean') return /^(true|false)$/i.test(value);
  return type === 'string';
}

/** The cloud's own client for Python says `True`. */
export const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === 'true';

/** `Tag.1.Key`, `Tag.2.Key` and so on: the items of a list, in order. */
export function itemsOf(query: Query, list: string): Record<string, string>[] {
  const items: Record<string, string>[] = [];
  for (let number = 1; ; number += 1) {
    const start = `${list}.${number}.`;
    const fields = Object.entries(query).filter(([name]) => name.startsWith(start));
    if (fields.length === 0) return items;
    items.push(
      Object.fromEntries(fields.map(([name, value]) => [name.slice(start.length), value])),
    );
  }
}
