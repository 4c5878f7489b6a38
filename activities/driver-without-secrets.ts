/**
 * Failures of a driver without the values of the class's Secret: a cloud may repeat a request, and
 * its words go into histories, statuses and Events.
 */
import { repeatedTexts } from './console-output/secret-texts.ts';
import type { Driver, ProviderRequest } from './drivers/driver.ts';
import { withCalls } from './drivers/with-calls.ts';
import { redacted } from './redaction/redacted.ts';
import { certainForms } from './redaction/secret-forms.ts';

/** All built-in drivers go through it: nothing else sees both the Secret and the cloud's words. */
export function withoutSecrets(driver: Driver): Driver {
  return withCalls(driver, (_operation, call) => async (request) => {
    try {
      return await call(request);
    } catch (error) {
      hideIn(error, request);
      throw error;
    }
  });
}

/** A create has the user data with its places filled. */
type Sent = Pick<ProviderRequest, 'secret'> & { userData?: string };

/** The error itself, as its kind says what to do. */
function hideIn(error: unknown, sent: Sent): void {
  if (!(error instanceof Error)) return;
  const { message, stack } = error;
  const words = redacted(message, certainForms, repeatedTexts(message, valuesIn(sent)));
  if (words === message) return;
  // That of an abort has no setter.
  const shown = { message: words, stack: stack?.replace(message, () => words) };
  for (const [name, value] of Object.entries(shown)) {
    Object.defineProperty(error, name, { value, configurable: true, writable: true });
  }
}

/**
 * They say which account, place or file it is: people need them, and they give no access. The id of
 * an access key goes with the key.
 */
const openKey = /(?<!key)(?:id|arn|region|zone|project|file)$/i;

function valuesIn({ secret, userData = '' }: Sent): string[] {
  const hidden = Object.entries(secret).filter(([key]) => !openKey.test(key));
  return [...hidden.map(([, value]) => value), userData];
}
