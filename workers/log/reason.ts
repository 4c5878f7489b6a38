import { isNativeError } from 'node:util/types';

/** Causes are named up to this many; deeper ones repeat what was said. */
const messagesMax = 4;

/** The message of an error and those of its causes: the last one usually says what is wrong. */
export function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; isNativeError(at) && messages.length < messagesMax; at = at.cause) {
    const { message } = at;
    if (message !== '' && !messages.some((known) => known.includes(message))) {
      messages.push(message);
    }
  }
  return messages.length > 0 ? messages.join(': ') : String(error);
}
