/** Takes secrets out of texts that a cloud, a server or a library wrote. */
import { isSecretKey } from './secret-names.ts';

const redacted = '[redacted]';

/** What is known to be a secret by its form. */
const forms: readonly (readonly [RegExp, string])[] = [
  // A private key, also one that was cut off. In JSON its lines end in "\n".
  [
    /-----BEGIN ([A-Z ]{0,20}PRIVATE KEY)-----[\w+/=\s\\]{0,20000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?/g,
    `-----BEGIN $1-----${redacted}`,
  ],
  // JSON Web Token: header, payload and signature.
  [/\beyJ[\w-]{8,8000}\.[\w-]{8,8000}\.[\w-]{0,8000}/g, redacted],
  // Bootstrap token of Kubernetes: its id is no secret.
  [/\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g, `$1.${redacted}`],
  [/\b(Bearer|Basic) [\w.~+/-]{8,8000}={0,2}/gi, `$1 ${redacted}`],
  // Id of an access key of AWS.
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, redacted],
  // User and password in a URL.
  [/:\/\/[^\s/:@]{1,200}:[^\s/@]{1,200}@/g, `://${redacted}@`],
  // `password=x`, `"clientSecret":"x"`, `client_secret: x`, and the signature of an Azure URL.
  [
    /(\b(?:password|passwd|secret|client_?secret|secret_?access_?key|access_?token|refresh_?token|id_?token|session_?token|auth_?token|token|api_?key|private_?key|user_?data|sig)\\?"?[=:])(?: ?\\?"[^"\\]{1,8000}|[^\s"'\\,;&)]{4,8000})/gi,
    `$1${redacted}`,
  ],
];

/** Shorter values stand in too many other words. */
const shortestValue = 6;
/** The newest of so many values that were read as secrets are known. */
const valuesMax = 500;

/** What was read as a secret, so that it is recognised wherever it turns up. */
export class SecretValues {
  readonly #values = new Set<string>();

  add(values: Iterable<string>): void {
    for (const value of values) {
      const text = value.trim();
      if (text.length < shortestValue) continue;
      this.#values.delete(text);
      this.#values.add(text);
    }
    for (const oldest of this.#values) {
      if (this.#values.size <= valuesMax) break;
      this.#values.delete(oldest);
    }
  }

  /** Those keys of a Secret that hold one: a region or a project may be named. */
  addDataOf(secret: Readonly<Record<string, string>>): void {
    this.add(Object.entries(secret).flatMap(([key, value]) => (isSecretKey(key) ? [value] : [])));
  }

  /** The same text without any of them, and without what has the form of a secret. */
  scrub(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, redacted);
    return scrubbed(clean);
  }
}

/** Of this process: a secret must not stand in any of its logs. */
export const secretValues = new SecretValues();

/** The same text without what has the form of a secret. */
export function scrubbed(text: string): string {
  return forms.reduce((clean, [form, instead]) => clean.replace(form, instead), text);
}
