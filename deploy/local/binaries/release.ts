import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { isNativeError } from 'node:util/types';
import { pipeline } from 'node:stream/promises';
import { runProgram } from './program.ts';
import { SourceUnavailable, type Download } from './source.ts';
import { messageOf } from '../failure.ts';

/** Three seconds are too few on a busy machine, and without Go there is no other source. */
const connectWithinMs = 10_000;
/** A download may take long, but not without a byte. */
const silenceMs = 20_000;

/** Downloads the official release and checks it against the published SHA-256. */
export const fromRelease: Download = async (tool, target, { platform, report }) => {
  const release = tool.release?.(platform);
  if (release === undefined) throw new SourceUnavailable('no release for this platform');
  // The small file goes first: it shows at once whether the site can be reached.
  const checksums = await textAt(release.checksumUrl);
  const expected = checksumOf(checksums, basename(release.url));
  if (expected === undefined) {
    throw new SourceUnavailable(`${release.checksumUrl} does not list ${basename(release.url)}`);
  }
  report(`downloading ${release.url}`);
  const download = `${target}.download`;
  await save(await open(release.url), download);
  const found = await sha256(download);
  if (found !== expected) {
    throw new SourceUnavailable(
      `${release.url} has SHA-256 ${found}, not the published ${expected}`,
    );
  }
  if (release.member === undefined) await rename(download, target);
  else await extract({ archive: download, url: release.url, member: release.member, target });
};

/**
 * The digest of a file in a list of "digest name", or the only word of a file that is just the
 * digest.
 */
export function checksumOf(list: string, file: string): string | undefined {
  const lines = list
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const [only] = lines;
  if (lines.length === 1 && only?.length === 1) return only[0];
  return lines.find(([, name]) => name?.replace(/^\*/, '') === file)?.[0];
}

export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function textAt(url: string): Promise<string> {
  const response = await open(url, AbortSignal.timeout(silenceMs));
  try {
    return await response.text();
  } catch (error) {
    throw new SourceUnavailable(`${url} broke off: ${causeOf(error)}`);
  }
}

/** Fails when the answer does not begin in time. `limit` ends what follows too; default none. */
async function open(url: string, limit?: AbortSignal): Promise<Response> {
  const gaveUp = new AbortController();
  const timer = setTimeout(() => gaveUp.abort(), connectWithinMs);
  const signal = AbortSignal.any([gaveUp.signal, ...(limit ? [limit] : [])]);
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new SourceUnavailable(`${url} answers ${response.status}`);
    return response;
  } catch (error) {
    if (error instanceof SourceUnavailable) throw error;
    const reason = gaveUp.signal.aborted
      ? `no answer within ${connectWithinMs / 1000} s`
      : causeOf(error);
    throw new SourceUnavailable(`${new URL(url).host} is out of reach (${reason})`);
  } finally {
    clearTimeout(timer);
  }
}

/** fetch says only "fetch failed"; why is in the cause. */
function causeOf(error: unknown): string {
  const cause = isNativeError(error) ? error.cause : undefined;
  if (isNativeError(cause) && 'code' in cause) return String(cause.code);
  return messageOf(cause ?? error);
}

async function save(response: Response, file: string): Promise<void> {
  if (response.body === null) throw new SourceUnavailable(`${response.url} is empty`);
  const source = Readable.fromWeb(response.body);
  let timer: NodeJS.Timeout | undefined;
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      source.destroy(new Error(`nothing came for ${silenceMs / 1000} s`));
    }, silenceMs);
  };
  watch();
  source.on('data', watch);
  try {
    await pipeline(source, createWriteStream(file));
  } catch (error) {
    throw new SourceUnavailable(`${response.url} broke off: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

interface Extraction {
  archive: string;
  url: string;
  member: string;
  target: string;
}

async function extract({ archive, url, member, target }: Extraction): Promise<void> {
  const folder = join(dirname(target), 'unpacked');
  await mkdir(folder, { recursive: true });
  const [program, args] = url.endsWith('.zip')
    ? (['unzip', ['-q', archive, member, '-d', folder]] as const)
    : (['tar', ['-xzf', archive, '-C', folder, member]] as const);
  try {
    await runProgram(program, args, { limitMs: 0 });
  } catch (error) {
    // Small images have no tar.
    throw new SourceUnavailable(`${basename(url)} cannot be unpacked: ${messageOf(error)}`);
  }
  await rename(join(folder, member), target);
  await rm(archive);
}
