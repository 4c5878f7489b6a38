/**
 * Programs that machines download: URL and digest of each version that is known, of downloads.yaml.
 * A version without a digest is not downloaded.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { UserDataConfig } from './config.ts';
import { dataPath } from './data-path.ts';
import type { Download } from './machine-document.ts';

export type Program = 'kubelet' | 'containerd' | 'runc' | 'cni-plugins' | 'crictl';

type Digests = Readonly<
  Record<string, Readonly<Partial<Record<Download['architecture'], string>>>>
>;

interface Publication {
  /** With `{version}` and `{architecture}`. */
  url: string;
  /** SHA-256 by version. */
  digests: Digests;
}

type Catalogue = Readonly<Record<Program, Publication>>;

let read: Catalogue | undefined;

function catalogue(): Catalogue {
  if (read) return read;
  const content: Catalogue = parse(readFileSync(dataPath('downloads.yaml'), 'utf8'));
  return (read = content);
}

export interface Wanted extends Pick<
  NonNullable<UserDataConfig['downloads']>,
  'digests' | 'source'
> {
  program: Program;
  /** Three numbers, without `v`. */
  version: string;
  architecture: Download['architecture'];
}

/**
 * @param wanted `digests` of the config count before those of downloads.yaml; its `source` stands
 * in for the publisher: `SOURCE/HOST/PATH`.
 * @returns Undefined: there is no digest of this version for this architecture.
 */
export function downloadOf(wanted: Wanted): Download | undefined {
  const { program, version, architecture, digests, source } = wanted;
  const publication = catalogue()[program];
  const sha256 =
    digests?.[program]?.[version]?.[architecture] ?? publication.digests[version]?.[architecture];
  if (sha256 === undefined) return undefined;
  const published = publication.url
    .replaceAll('{version}', version)
    .replaceAll('{architecture}', architecture);
  const url = source ? published.replace('https:/', source.replace(/\/+$/, '')) : published;
  return { name: program, version, architecture, url, sha256 };
}

/** Of downloads.yaml, the newest first. */
export function knownVersions(program: Program): string[] {
  return Object.keys(catalogue()[program].digests).toSorted(newestFirst);
}

/**
 * The newest of downloads.yaml that goes with this version of Kubernetes. The kubelet has to be of
 * its minor version; so has crictl, or the nearest older one. Undefined: none.
 */
export function newestVersion(program: Program, kubernetesVersion: string): string | undefined {
  const versions = knownVersions(program);
  const minor = minorOf(kubernetesVersion);
  if (program === 'kubelet') return versions.find((version) => minorOf(version) === minor);
  if (program === 'crictl') return versions.find((version) => minorOf(version) <= minor);
  return versions[0];
}

/** The second number: the first has always been 1. */
function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

const byNumber = new Intl.Collator('en', { numeric: true });

function newestFirst(a: string, b: string): number {
  return byNumber.compare(b, a);
}
