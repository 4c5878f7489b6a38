/** What was printed to a terminal, as text for people. */

/** Of ECMA-48: colours and cursor movements, titles of windows, character sets, and the rest. */
const escapes =
  // oxlint-disable-next-line no-control-regex
  /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]+[0-~]|[0-~])/g;
/** Tabs and line feeds stay. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/** They hide text, or change its direction. */
const invisible = /[\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/gu;

/**
 * Without control characters and escape sequences; a line that a carriage return begins anew is a
 * line of its own. More than one empty line in a row are one.
 */
export function printable(text: string): string {
  return text
    .replaceAll(escapes, '')
    .replaceAll(/\r+\n?/g, '\n')
    .replaceAll(controls, '')
    .replaceAll(invisible, '')
    .toWellFormed()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
