/** What is kept of a console's output: the end of it, for people, without secrets. */
import { longestConsoleBytes } from '../../workflows/values/console-output.ts';
import { clipStart } from '../../workflows/values/clip.ts';
import { hidden, redacted } from './hide.ts';
import { secretForms } from './secret-forms.ts';
import { printable } from './printable.ts';
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
  return clipStart(redacted(text, secretForms, known), longestConsoleBytes);
}

/** Most are as they are printed; to find that out costs less than to print them. */
function asPrinted(text: string): string {
  return /^[!-~](?:[ -~]*[!-~])?$/.test(text) ? text : printable(text);
}

/** Of a driver that does not know this file, in another language. */
export function withoutSecretPatterns(printed: string): string {
  return clipStart(redacted(printable(printed), secretForms), longestConsoleBytes);
}

/** The line that is cut may begin in the middle of a secret. */
function endOf(printed: string): string {
  if (printed.length <= longestRead) return printed;
  const end = printed.slice(-longestRead);
  return end.slice(end.search(/[\r\n]/) + 1);
}
