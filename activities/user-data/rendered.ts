/** User data as a driver gets them. They hold credentials: they stay in one activity's memory. */
import { fitted } from '../../userdata/sizes.ts';
import {
  originOf,
  placeholderValues,
  render,
  textFor,
  type MachineValues,
  type UserDataInput,
} from '../../userdata/render.ts';

export interface MadeUserData {
  /** Bytes where only gzip makes them small enough. */
  userData: string | Uint8Array;
  /** What of them must be seen nowhere: an error of a cloud may repeat it, a console print it. */
  hidden: string[];
  /** Absent: they are not rendered from a profile. */
  origin?: string;
}

/** As long and as varied as real ones, as gzip makes less of what repeats itself. */
const longestValues = {
  machineName: 'q7w1-e9r2-t8y3-u5i0-o4p6-a2s8-d1f9-g0h7-j3k5-l6z4-x8c2-v9b1-n5m',
  bootstrapToken: 'x7k2q9.b4n8v1c6z3m5p0w2',
};

/** Of a pool without faults: a sentence where a machine may have more than its cloud takes. */
export function sizeFault(
  input: UserDataInput,
  secrets: MachineValues['secrets'],
): string | undefined {
  const { provider, profile } = input;
  const text = textFor(input, { ...longestValues, secrets });
  const fit = fitted(text, { provider, format: profile.format });
  return 'fault' in fit ? fit.fault : undefined;
}

/** The same values make the same bytes: clouds compare what a retry sends. */
export function renderedUserData(
  input: UserDataInput,
  values: MachineValues,
): MadeUserData | { fault: string } {
  const { text, format } = render(input, values);
  const fit = fitted(text, { provider: input.provider, format });
  if ('fault' in fit) return fit;
  const { machineName, bootstrapToken, secrets } = values;
  const open = textFor(input, { ...placeholderValues(input.config), machineName });
  const known = new Set(partsOf(open));
  const hidden = [
    bootstrapToken,
    ...Object.values(secrets).flatMap(passwordsIn),
    // As a file in base64 has them, or the configuration of a registry.
    ...partsOf(text).filter((part) => !known.has(part)),
    ...wholeForms(text, fit.userData),
  ];
  return { ...fit, hidden, origin: originOf(input) };
}

/** The name of a user is no secret, and often a word that stands elsewhere too. */
function passwordsIn({ username: _open, ...secret }: Readonly<Record<string, string>>): string[] {
  return Object.values(secret);
}

/** YAML and JSON alike, and URLs with a file in them. */
function partsOf(text: string): string[] {
  return text.split(/[\s"',]+/);
}

/** As clouds are sent it. */
export function wholeForms(text: string, userData: string | Uint8Array): string[] {
  return [text, userData].map((whole) => Buffer.from(whole).toString('base64'));
}
