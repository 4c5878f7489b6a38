/** The CA that a reader puts into an example of user data. */
import { selfSigned } from './self-signed.ts';

const example =
  /^( *)-----BEGIN CERTIFICATE-----\n *CA-CERTIFICATE\n *-----END CERTIFICATE-----$/gm;

/** One of a test's own. */
export const { certificate: someAuthority } = await selfSigned({
  name: 'kubernetes',
  isAuthority: true,
});

/** The text of an example, at whatever depth the certificate stands. */
export function withAuthority(text: string, certificate: string = someAuthority): string {
  const lines = certificate.trimEnd().split('\n');
  return text.replaceAll(example, (_place, indent: string) =>
    lines.map((line) => `${indent}${line}`).join('\n'),
  );
}
