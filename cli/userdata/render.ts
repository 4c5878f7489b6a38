import {
  originOf,
  placeholderValues,
  render as rendered,
  type Rendered,
  type UserDataInput,
} from '../../userdata/render.ts';
import { fitted, sizeLimits } from '../../userdata/sizes.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { inputOf, type InputOptions } from './input.ts';

export interface RenderOptions extends InputOptions {
  /** Stands in the text as the name of the machine. Undefined: a placeholder does. */
  machine?: string | undefined;
}

/** Exit code 1: it is larger than its cloud takes. */
export async function render(
  scope: ClusterScope | undefined,
  options: RenderOptions,
): Promise<Answer> {
  const input = await inputOf(scope, options);
  const made = withPlaceholders(input, options.machine);
  const { name, version } = input.profile;
  const size = sizeOf(made, input);
  const data = {
    profile: { name, version },
    provider: input.provider,
    origin: originOf(input),
    ...made,
    size,
  };
  return {
    text: made.text.trimEnd(),
    aside: asideOf(data),
    data,
    exitCode: size.fault === undefined ? 0 : 1,
  };
}

/** Secrets, and the name of a machine that is not named, are placeholders. */
export function withPlaceholders(input: UserDataInput, machine?: string): Rendered {
  const values = placeholderValues(input.config);
  return rendered(input, machine === undefined ? values : { ...values, machineName: machine });
}

interface Size {
  bytes: number;
  /** Where only that fits. */
  bytesWithGzip?: number;
  /** What the cloud takes. Absent: not known. */
  limit?: number;
  fault?: string;
}

function sizeOf({ text, format }: Rendered, { provider }: UserDataInput): Size {
  const bytes = Buffer.byteLength(text);
  const limit = sizeLimits[provider]?.bytes;
  const fit = fitted(text, { provider, format });
  return {
    bytes,
    ...('userData' in fit &&
      typeof fit.userData !== 'string' && { bytesWithGzip: fit.userData.length }),
    ...(limit !== undefined && { limit }),
    ...('fault' in fit && { fault: fit.fault }),
  };
}

interface Made extends Rendered {
  provider: string;
  origin: string;
  size: Size;
}

function asideOf({ origin, format, provider, size, packages, downloads }: Made): string {
  const { bytes, bytesWithGzip, limit, fault } = size;
  const gzip = bytesWithGzip === undefined ? '' : `, ${bytesWithGzip} with gzip`;
  const taken = limit === undefined ? 'its limit is not known' : `${provider} takes ${limit}`;
  return [
    `Made of: ${origin}, ${format}`,
    `Size: ${fault ?? `${bytes} bytes${gzip}: ${taken}`}`,
    ...(packages.length > 0 ? [`Packages: ${packages.join(' ')}`] : []),
    ...(downloads.length > 0 ? ['Downloads:', ...downloads.map((one) => `  ${lineOf(one)}`)] : []),
  ].join('\n');
}

/** With all that can change of it. */
export function lineOf(download: Rendered['downloads'][number]): string {
  const { name, version, architecture, url, sha256 } = download;
  return `${name} ${version} ${architecture} ${url} sha256:${sha256}`;
}
