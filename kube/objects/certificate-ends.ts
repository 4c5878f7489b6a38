/**
 * Until when the certificates hold that a watcher has read from files, kept on its Lease for
 * `millwright stuck`. The pods of an install have the same files.
 */
import { parsedJson } from '../../workflows/values/parsed-json.ts';

export const certificatesAnnotation = 'millwright.dev/certificates';

export interface CertificateEnd {
  /** As the process has it, e.g. `/etc/millwright/temporal-tls/tls.crt`. */
  file: string;
  /** End of the first certificate in it that ends. Milliseconds. */
  until: number;
}

/** Undefined where there is no certificate. */
export function writeCertificateEnds(ends: readonly CertificateEnd[]): string | undefined {
  if (ends.length === 0) return undefined;
  return JSON.stringify(
    ends.map(({ file, until }) => ({ file, until: new Date(until).toISOString() })),
  );
}

/** Reads the annotation. A damaged part counts as absent. */
export function readCertificateEnds(text: string | undefined): CertificateEnd[] {
  const content = parsedJson(text);
  return Array.isArray(content) ? content.flatMap(endIn) : [];
}

function endIn(item: unknown): CertificateEnd[] {
  if (typeof item !== 'object' || item === null) return [];
  const { file, until }: Record<string, unknown> = { ...item };
  const time = typeof until === 'string' ? Date.parse(until) : NaN;
  return typeof file === 'string' && !Number.isNaN(time) ? [{ file, until: time }] : [];
}
