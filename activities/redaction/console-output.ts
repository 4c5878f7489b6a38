/** What is kept of a console's output: the end of it, for people, without secrets. */
import { longestConsoleBytes } from '../../workflows/values/console-output.ts';
import { clipStart } from '../../workflows/values/clip.ts';
import { hidden, hide } from './hide.ts';
import { secretForms } from './secret-forms.ts';
import { secretTexts, textsIn } from './secret-texts.ts';

/**
 * Characters. So much is read of what was printed, more than is kept: what is hidden gets shorter.
 * Clouds keep as much, or more.
 */
const longestRead = 65_536;
/**
 * Characters, of all values: more than clouds take as user data, as it is and with its places
 * filled.
 */
const longestSecret = 600_000;
/** More lines of a Secret than an output of this length has. */
const searchedMax = 4_000;

/**
 * Nothing where the Secret is so large that to search for all of it would hold up the process, and
 * with it the machines of others: who wrote it also decides what the instance prints.
 *
 * @param secret Decoded data of the class's Secrets.
 */
export function keptOutput(printed: string, secret: Readonly<Record<string, string>>): string {
  const length = Object.values(secret).reduce((sum, value) => sum + value.length, 0);
  if (length > longestSecret) return hidden;
  const text = printable(endOf(printed));
  // What is no text in the values is none in the output either.
  const known = textsIn(text, secretTexts(secret).map(asPrinted));
  if (known.length > searchedMax) return hidden;
  return clipStart(hide(text, known, secretForms), longestConsoleBytes);
}

/** Most are as they are printed; to find that out costs less than to print them. */
function asPrinted(text: string): string {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : printable(text);
}

/** Of a driver that does not know this file, in another language. */
export function withoutSecretPatterns(printed: string): string {
  return clipStart(hide(printable(printed), [], secretForms), longestConsoleBytes);
}

/** The line that is cut may begin in the middle of a secret. */
function endOf(printed: string): string {
  if (printed.length <= longestRead) return printed;
  const end = printed.slice(-longestRead);
  return end.slice(end.search(/[\r\n]/) + 1);
}

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
 * What was printed to a terminal, as text for people: without control characters and escape
 * sequences; a line that a carriage return begins anew is a line of its own. More than one empty
 * line in a row are one.
 */
function printable(text: string): string {
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
