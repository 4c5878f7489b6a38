/** What is wrong with a provider spec of the virtual cloud. */
import { refusal } from '../../schema/schema-check.ts';
import { sizes, type VirtualProviderSpec } from './provider-spec.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

type FieldCheck = (value: unknown, path: string) => string[];

const checks: Record<keyof VirtualProviderSpec, FieldCheck> = {
  zone: checkZone,
  size: checkOneOf(sizes),
  labels: checkTexts,
  annotations: checkTexts,
  taints: checkTaints,
  tags: checkTexts,
  needsInitialization: (value, path) =>
    typeof value === 'boolean' ? [] : [refusal(path, value, 'true or false')],
};

/**
 * A sentence for each fault; empty when there is none. Absent and null fields have their default.
 */
export function validateProviderSpec(spec: unknown): string[] {
  const record = spec ?? {};
  if (!isRecord(record)) return [refusal('providerSpec', spec, 'an object')];
  return Object.entries(record).flatMap(([name, value]) => {
    const path = `providerSpec.${name}`;
    if (!isField(name)) {
      return [`${path} is not a field; fields are ${Object.keys(checks).join(', ')}`];
    }
    return value === null ? [] : checks[name](value, path);
  });
}

function checkZone(value: unknown, path: string): string[] {
  const isZone = typeof value === 'string' && /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value);
  return isZone ? [] : [refusal(path, value, 'a name of lower-case letters, digits and dashes')];
}

function checkOneOf(allowed: readonly string[]): FieldCheck {
  return (value, path) =>
    allowed.some((candidate) => candidate === value)
      ? []
      : [refusal(path, value, `one of ${allowed.join(', ')}`)];
}

function checkTexts(value: unknown, path: string): string[] {
  if (!isRecord(value)) return [refusal(path, value, 'an object whose values are strings')];
  return Object.entries(value)
    .filter(([, item]) => typeof item !== 'string')
    .map(([key, item]) => `${refusal(`${path}.${key}`, item, 'a string')}: put it in quotes`);
}

function checkTaints(value: unknown, path: string): string[] {
  if (!Array.isArray(value)) return [refusal(path, value, 'a list')];
  return value.flatMap((item: unknown, index) => checkTaint(item, `${path}[${index}]`));
}

function checkTaint(value: unknown, path: string): string[] {
  if (!isRecord(value)) return [refusal(path, value, 'an object')];
  const { key, effect, value: text = '' } = value;
  return [
    ...(typeof key === 'string' && key !== '' ? [] : [refusal(`${path}.key`, key, 'a string')]),
    ...(typeof text === 'string' ? [] : [refusal(`${path}.value`, text, 'a string')]),
    ...checkOneOf(effects)(effect, `${path}.effect`),
  ];
}

function isField(name: string): name is keyof VirtualProviderSpec {
  return Object.hasOwn(checks, name);
}
