/** Until when the certificates are valid that a process has read from files. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import { monotonicMs } from '../../activities/system/system.ts';
import type { Config } from '../config/config.ts';
import { registerComputed } from '../metrics/computed.ts';

/** A certificate is good for days at least. */
const keptMs = 60_000;

/** Files of the Temporal settings, and kubeconfigs that flags name. */
export function filesReadOf(config: Pick<Config, 'temporal' | 'control' | 'target'>): string[] {
  return [...new Set([...config.temporal.files, ...kubeConfigsOf(config)])];
}

/** Paths of the kubeconfigs that flags name. */
export function kubeConfigsOf({ control, target }: Pick<Config, 'control' | 'target'>): string[] {
  return [control, ...(target === 'none' ? [] : [target])].flatMap((source) =>
    source.kind === 'file' ? [source.path] : [],
  );
}

export type CertificateEnds = () => readonly CertificateEnd[];

/** A file without a certificate is left out, and so is one that cannot be read any more. */
export function certificateEndsIn(files: readonly string[]): CertificateEnds {
  let known: { at: number; ends: CertificateEnd[] } | undefined;
  return () => {
    if (!known || monotonicMs() - known.at > keptMs)
      known = { at: monotonicMs(), ends: files.flatMap(endIn) };
    return known.ends;
  };
}

export function registerCertificateMetric(registry: Registry, ends: CertificateEnds): void {
  registerComputed(
    registry,
    [
      {
        name: 'millwright_certificate_expiry_timestamp_seconds',
        type: 'gauge',
        help: 'When the first certificate in a file of the Temporal settings or in a kubeconfig ends; of authorities, the last one.',
        labels: ['file'],
        read: () => ends().map(({ file, until }) => ({ labels: { file }, value: until / 1_000 })),
      },
    ],
    () => [undefined],
  );
}

/** Authorities serve until the last one ends: a bundle keeps those that a newer one replaced. */
function endIn(file: string): CertificateEnd[] {
  const ends = certificatesIn(file).flatMap(endOf);
  if (ends.length === 0) return [];
  const authorities = ends.filter(({ isAuthority }) => isAuthority).map(({ until }) => until);
  const others = ends.filter(({ isAuthority }) => !isAuthority).map(({ until }) => until);
  const served = authorities.length === 0 ? [] : [Math.max(...authorities)];
  return [{ file, until: Math.min(...served, ...others) }];
}

/** PEM, as it is or in the base64 of a kubeconfig. */
function certificatesIn(file: string): string[] {
  const text = textOf(file);
  const encoded = text.matchAll(
    /(?:client-certificate|certificate-authority)-data"?\s*:\s*"?([^\s",}]+)/g,
  );
  const decoded = [...encoded].map(([, data = '']) => Buffer.from(data, 'base64').toString());
  const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
  return [text, ...decoded].flatMap((part) => part.match(pem) ?? []);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It is being replaced, or is gone: those who need it say so.
    return '';
  }
}

function endOf(pem: string): { until: number; isAuthority: boolean }[] {
  try {
    const { validTo, ca } = new X509Certificate(pem);
    return [{ until: Date.parse(validTo), isAuthority: ca }];
  } catch {
    // No certificate after all: those who need it say so.
    return [];
  }
}
