/** What is wrong with a provider spec of Anexia. */
import { specReading } from '../spec-schema.ts';
import type { AnexiaProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

export const { specOf, validateProviderSpec } = specReading<AnexiaProviderSpec>(
  schema,
  faultsBetweenFields,
);

function faultsBetweenFields(spec: AnexiaProviderSpec): string[] {
  const faults = [
    ...exactlyOne(spec, 'disks', 'diskSize'),
    ...exactlyOne(spec, 'networks', 'vlanID'),
  ];
  if (spec.templateID === undefined && spec.template === undefined) {
    faults.push('providerSpec: templateID or template is needed');
  }
  if (spec.networks && !spec.networks.some(({ prefixes = [] }) => prefixes.length > 0)) {
    faults.push('providerSpec.networks: none of them has prefixes, so the machine has no address');
  }
  for (const [index, disk] of (spec.disks ?? []).entries()) {
    if (index === 0 || disk.performanceType !== undefined) continue;
    faults.push(`providerSpec.disks[${index}].performanceType is missing`);
  }
  return faults;
}

function exactlyOne<Key extends keyof AnexiaProviderSpec>(
  spec: AnexiaProviderSpec,
  one: Key,
  other: Key,
): string[] {
  const isRight = (spec[one] === undefined) !== (spec[other] === undefined);
  return isRight ? [] : [`providerSpec: exactly one of ${one} and ${other} is needed`];
}
