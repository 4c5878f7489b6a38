/** What changes in the user data of a class, or between two files. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { UserDataInput } from '../../userdata/render.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { inCluster, type ClusterScope } from '../connection/cluster.ts';
import { bytesIn, inputOf, type InputOptions } from './input.ts';
import { lineOf, withPlaceholders } from './render.ts';

interface Side {
  title: string;
  text: string;
  /** A line each. */
  downloads: readonly string[];
}

export interface DiffOptions extends InputOptions {
  /** User data as they are, instead of those of a class. */
  files?: readonly [before: string, after: string];
}

/**
 * Exit codes are those of `kubectl diff`: 1 is a difference, so what keeps the answer from being
 * known is 2.
 *
 * @throws {UsageError}
 */
export async function diff(options: DiffOptions): Promise<Answer> {
  try {
    if (options.files) return await diffOfFiles(options.files);
    return await inCluster(options, async (scope) => await diffOfClass(scope, options));
  } catch (error) {
    throw new UsageError(reasonOf(error), { cause: error });
  }
}

/** The class as it is, beside the same with the profile or config of the options. */
export async function diffOfClass(scope: ClusterScope, options: InputOptions): Promise<Answer> {
  const { profile: _profile, config: _config, ...asItIs } = options;
  return answerOf(
    sideOf(await inputOf(scope, asItIs), 'now'),
    sideOf(await inputOf(scope, options), 'then'),
  );
}

function sideOf(input: UserDataInput, when: string): Side {
  const { text, downloads } = withPlaceholders(input);
  const { name, version } = input.profile;
  return { title: `${when}: ${name}@${version}`, text, downloads: downloads.map(lineOf) };
}

export async function diffOfFiles([before, after]: readonly [
  before: string,
  after: string,
]): Promise<Answer> {
  return answerOf(await sideOfFile(before), await sideOfFile(after));
}

async function sideOfFile(title: string): Promise<Side> {
  return { title, text: (await bytesIn(title)).toString('utf8'), downloads: [] };
}

/** As `diff -u` prints it, and then the downloads that are no more or new. */
function answerOf(before: Side, after: Side): Answer {
  const removed = before.downloads.filter((line) => !after.downloads.includes(line));
  const added = after.downloads.filter((line) => !before.downloads.includes(line));
  const isSame = before.text === after.text && removed.length + added.length === 0;
  const patch = createTwoFilesPatch(
    before.title,
    after.title,
    before.text,
    after.text,
    undefined,
    undefined,
    { context: 3, headerOptions: FILE_HEADERS_ONLY },
  );
  const lines = [
    ...(before.text === after.text ? [] : [patch.trimEnd()]),
    ...(removed.length + added.length === 0 ? [] : ['Downloads:']),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ];
  return {
    text: lines.join('\n'),
    data: {
      isSame,
      before: before.title,
      after: after.title,
      patch: before.text === after.text ? '' : patch,
      downloads: { removed, added },
    },
    exitCode: isSame ? 0 : 1,
  };
}
