/**
 * Ends a process when a file changes that it has read at its start, such as a certificate that
 * cert-manager has renewed: Kubernetes starts it again with the new one. Temporal's connection
 * takes its certificates once; of a kubeconfig only the files that it names are read again. While
 * no process could start with what the files hold, it goes on: all processes read the same ones.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { every, random, monotonicMs } from '../../activities/system/system.ts';
import type { Command, Config } from '../config/config.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import type { Shutdown } from './shutdown.ts';
import type { Registry } from 'prom-client';
import type { CertificateEnd } from '../../kube/objects/certificate-ends.ts';
import { registerComputed } from '../metrics/computed.ts';

/** Watches of files miss how kubelets replace them, by another link. */
const periodMs = 10_000;
/** Not all processes at the same moment; the old certificate is good for much longer. */
const longestWaitMs = 60_000;

export interface RotatedFiles {
  config: Parameters<typeof filesReadOf>[0];
  log: Logger;
  shutdown: Pick<Shutdown, 'signal' | 'begin'>;
  /** Why a process could not start with the files as they are now; undefined: it could. */
  whyUnusable(): string | undefined;
}

export function endWhenRotated({ config, log, shutdown, whyUnusable }: RotatedFiles): void {
  const files = filesReadOf(config);
  if (files.length === 0) return;
  const digests = new Map(files.map((file) => [file, digestOf(file)]));
  let waitMs = random() * longestWaitMs;
  let noted: string | undefined;
  const timer = every(periodMs, check, { keepsAlive: false });
  shutdown.signal.addEventListener('abort', () => timer.cancel(), { once: true });

  function check(): void {
    const changed = changedFile();
    if (changed === undefined) return;
    const fault = whyUnusable();
    note(changed, fault);
    if (fault !== undefined) return;
    if (waitMs > 0) return void (waitMs -= periodMs);
    shutdown.begin(`${changed} has changed: it is read at the start`);
  }

  /** Once, until there is something else to say. */
  function note(file: string, fault: string | undefined): void {
    const said = JSON.stringify([file, fault]);
    if (said === noted) return;
    noted = said;
    if (fault === undefined) log.info({ file }, 'has changed; ending within a minute');
    else {
      const words =
        'has changed, and no process could start so: this one goes on with what it read';
      log.error({ file, reason: fault }, words);
    }
  }

  function changedFile(): string | undefined {
    try {
      return files.find((file) => digestOf(file) !== digests.get(file));
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'a file that was read at the start cannot be read');
      return undefined;
    }
  }
}

/** Why a process cannot start; undefined: it can. `read`: its command line, with all files. */
export function faultOfStart(read: () => Command): string | undefined {
  try {
    const command = read();
    if (command.kind !== 'run') return undefined;
    for (const path of kubeConfigsOf(command.config)) loadKubeConfig(path);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** A certificate is good for days at least. */
const keptMs = 60_000;

/** Files of the Temporal settings, and kubeconfigs that flags name. */
export function filesReadOf(config: Pick<Config, 'temporal' | 'control' | 'target'>): string[] {
  return [...new Set([...config.temporal.files, ...kubeConfigsOf(config)])];
}

/** Paths of the kubeconfigs that flags name. */
function kubeConfigsOf({ control, target }: Pick<Config, 'control' | 'target'>): string[] {
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
