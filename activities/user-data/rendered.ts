/** User data as a driver is given them. They hold credentials: they stay in the memory of one activity. */
import { fitted } from '../../userdata/sizes.ts';
import { originOf, render, type MachineValues, type UserDataInput } from '../../userdata/render.ts';

export interface MadeUserData {
  /** Bytes where only gzip makes them small enough. */
  userData: string | Uint8Array;
  /** Before gzip. */
  text: string;
  /** Absent: they are not rendered from a profile. */
  origin?: string;
}

/** Lengths and variety as in life, as gzip makes less of what repeats itself. */
const longestValues = {
  machineName: 'q7w1-e9r2-t8y3-u5i0-o4p6-a2s8-d1f9-g0h7-j3k5-l6z4-x8c2-v9b1-n5m',
  bootstrapToken: 'x7k2q9.b4n8v1c6z3m5p0w2',
};

/** A sentence where a machine of the pool may have more user data than its cloud takes. */
export function sizeFault(
  input: UserDataInput,
  secrets: MachineValues['secrets'],
): string | undefined {
  const made = renderedUserData(input, { ...longestValues, secrets });
  return 'fault' in made ? made.fault : undefined;
}

/** The same values make the same bytes: clouds compare what a retry sends. */
export function renderedUserData(
  input: UserDataInput,
  values: MachineValues,
): MadeUserData | { fault: string } {
  const { text, format } = render(input, values);
  const fit = fitted(text, { provider: input.provider, format });
  return 'fault' in fit ? fit : { ...fit, text, origin: originOf(input) };
}
