/** `aws:///REGION/INSTANCE_ID`, as Gardener's AWS driver writes it. */
import { DriverError } from '../driver.ts';

export function providerIdOf(region: string, instanceId: string): string {
  return `aws:///${region}/${instanceId}`;
}

/**
 * `place`: a region, or a zone where something else than MCM and we wrote it. Fails with
 * `InvalidArgument`.
 */
export function parseProviderId(providerID: string): { place: string; instanceId: string } {
  const [, place, instanceId] = /^aws:\/\/\/([a-z0-9-]+)\/(i-[0-9a-z]+)$/.exec(providerID) ?? [];
  if (place !== undefined && instanceId !== undefined) return { place, instanceId };
  const message = `spec.providerID: "${providerID}" is not of the form aws:///REGION/INSTANCE_ID`;
  throw new DriverError({ code: 'InvalidArgument', kind: 'input', message, settled: false });
}
