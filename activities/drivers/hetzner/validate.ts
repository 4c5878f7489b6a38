/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { specReading } from '../spec-schema.ts';
import { refusal } from '../../schema/schema-check.ts';
import { locationOf } from './labels.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

export const { specOf, validateProviderSpec } = specReading<HetznerProviderSpec>(
  schema,
  faultsBetweenFields,
);

function faultsBetweenFields(spec: HetznerProviderSpec): string[] {
  const { location, zone } = spec;
  const path = 'providerSpec.location';
  const ofZone = zone === undefined ? location : locationOf({ zone });
  const faults = ofZone === undefined ? [`${path} is missing: such as "hel1"`] : [];
  if (location !== ofZone && location !== undefined) {
    faults.push(refusal(path, location, `that of providerSpec.zone, ${ofZone}`));
  }
  return faults;
}
