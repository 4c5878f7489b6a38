/**
 * The user data of a Secret, with its places filled in. It holds credentials: it stays in the
 * memory of one activity.
 */

/** Bytes where it is not UTF-8, as what was packed with gzip. */
export type UserData = string | Uint8Array;

const bootstrapTokenPlace = '<<BOOTSTRAP_TOKEN>>';
const machineNamePlace = '<<MACHINE_NAME>>';

export function wantsBootstrapToken(userData: UserData): boolean {
  return hasPlace(textOf(userData), bootstrapTokenPlace);
}

/** Each byte is a character: the places are ASCII, and nothing else is read. */
function textOf(userData: UserData): string {
  return typeof userData === 'string' ? userData : Buffer.from(userData).toString('latin1');
}

/**
 * As MCM v0.62.1: where the literal place stands, all literal ones are filled; otherwise all
 * URL-query-escaped ones, with the escaped value; never both in one document. Bytes stay bytes, and
 * those beside the places as they are.
 */
export function fillUserData(userData: UserData, values: Values): UserData {
  const filled = fillAll(textOf(userData), values);
  return typeof userData === 'string' ? filled : Buffer.from(filled, 'latin1');
}

/** ASCII. */
interface Values {
  machineName: string;
  bootstrapToken?: string;
}

function fillAll(text: string, { machineName, bootstrapToken }: Values): string {
  const named = fill(text, machineNamePlace, machineName);
  return bootstrapToken === undefined ? named : fill(named, bootstrapTokenPlace, bootstrapToken);
}

/** As a driver is asked. */
export function asSent(userData: UserData): { userData: string; userDataBytes?: Uint8Array } {
  return typeof userData === 'string' ? { userData } : { userData: '', userDataBytes: userData };
}

function hasPlace(text: string, place: string): boolean {
  return text.includes(place) || text.includes(encodeURIComponent(place));
}

function fill(text: string, place: string, value: string): string {
  if (text.includes(place)) return text.replaceAll(place, () => value);
  return text.replaceAll(encodeURIComponent(place), () => encodeURIComponent(value));
}
