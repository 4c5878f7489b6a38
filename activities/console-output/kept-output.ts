/** What is kept of a console's output: the end of it, for people, without secrets. */
import { longestConsoleBytes } from '../../workflows/values/console-output.ts';
import { clipStart } from '../../workflows/values/clip.ts';
import { redacted } from '../redaction/redacted.ts';
import { secretForms } from '../redaction/secret-forms.ts';
import { printable } from './printable.ts';
import { secretTexts } from './secret-texts.ts';

/**
 * Characters. So much is read of what was printed, more than is kept: what is hidden gets shorter.
 * Clouds keep as much, or more.
 */
const longestRead = 65_536;

/** @param secret Decoded data of the class's Secrets. */
export function keptOutput(printed: string, secret: Readonly<Record<string, string>>): string {
  // What is no text in the values is none in the output either.
  const known = secretTexts(secret)
    .map(printable)
    .filter((text) => text.length > 5);
  return clipStart(redacted(printable(endOf(printed)), secretForms, known), longestConsoleBytes);
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
