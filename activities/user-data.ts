/** The user data of a Secret, with its places filled in. It holds credentials: it stays in the memory of one activity. */

const bootstrapTokenPlace = '<<BOOTSTRAP_TOKEN>>';
const machineNamePlace = '<<MACHINE_NAME>>';

export function wantsBootstrapToken(userData: string): boolean {
  return hasPlace(userData, bootstrapTokenPlace);
}

/**
 * As MCM v0.62.1: where the literal place stands, all literal ones are filled; otherwise all URL-query-escaped ones, with
 * the escaped value; never both in one document.
 */
export function fillUserData(
  userData: string,
  values: { machineName: string; bootstrapToken?: string },
): string {
  const named = fill(userData, machineNamePlace, values.machineName);
  return values.bootstrapToken === undefined
    ? named
    : fill(named, bootstrapTokenPlace, values.bootstrapToken);
}

function hasPlace(text: string, place: string): boolean {
  return text.includes(place) || text.includes(encodeURIComponent(place));
}

function fill(text: string, place: string, value: string): string {
  if (text.includes(place)) return text.replaceAll(place, () => value);
  return text.replaceAll(encodeURIComponent(place), () => encodeURIComponent(value));
}
