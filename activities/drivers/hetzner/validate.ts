/** What is wrong with a provider spec: by its schema, and by rules that span fields. */
import { refusal, specCheck, withoutNulls } from '../spec-schema.ts';
import { locationOf } from './labels.ts';
import type { HetznerProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

const checkSchema = specCheck(schema);

/** A sentence for each fault; empty when there is none. */
export function validateProviderSpec(providerSpec: unknown): string[] {
  const faults = checkSchema(providerSpec);
  return faults.length > 0 ? faults : faultsBetweenFields(specOf(providerSpec));
}

/** A validated spec with its types; null fields are absent. */
export function specOf(providerSpec: unknown): HetznerProviderSpec {
  const spec: HetznerProviderSpec = Object(withoutNulls(providerSpec));
  return spec;
}

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
