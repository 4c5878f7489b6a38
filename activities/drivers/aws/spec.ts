/** A provider spec, once it was checked. */
import { DriverError } from '../driver.ts';
import { invalidSpec, withoutNulls } from '../spec-schema.ts';
import type { AwsProviderSpec } from './provider-spec.ts';
import { validateProviderSpec } from './validate.ts';

/** Fails with `InvalidArgument`, settled: for creates, which have looked before. */
export function specOf(providerSpec: unknown): AwsProviderSpec {
  const spec = specIfValid(providerSpec);
  if (spec) return spec;
  const message = invalidSpec(validateProviderSpec(providerSpec));
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: true });
}

/** Undefined if it has faults: an instance that exists is found whatever became of its class. */
export function specIfValid(providerSpec: unknown): AwsProviderSpec | undefined {
  const spec = withoutNulls(providerSpec);
  return isValid(spec) ? spec : undefined;
}

function isValid(spec: unknown): spec is AwsProviderSpec {
  return validateProviderSpec(spec).length === 0;
}
