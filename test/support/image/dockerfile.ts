/**
 * The instructions of a Dockerfile, as far as `deploy/Dockerfile` uses them. What is not known here
 * throws, so that no instruction is left out in silence.
 */

export type Instruction =
  | { kind: 'copy'; from?: string; owner?: number; sources: readonly string[]; target: string }
  /** A text is for `/bin/sh`, a list is started as it is. */
  | { kind: 'run'; command: string | readonly string[] }
  | { kind: 'workdir'; path: string }
  | { kind: 'user'; uid: number; gid: number }
  | { kind: 'env'; values: Readonly<Record<string, string>> }
  | { kind: 'entrypoint' | 'cmd'; words: readonly string[] }
  | { kind: 'stopsignal'; signal: string };

export interface Stage {
  /** Undefined for the last, which is the image. */
  name: string | undefined;
  /** A stage before it, or an image. */
  base: string;
  instructions: readonly Instruction[];
}

interface Line {
  word: string;
  rest: string;
}

/**
 * @param text Of the Dockerfile.
 * @param given Values of arguments, which win over the defaults of `ARG`.
 */
export function readDockerfile(text: string, given: Readonly<Record<string, string>>): Stage[] {
  const args: Record<string, string> = { ...given };
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  for (const line of linesOf(text)) {
    const { word, rest } = { ...line, rest: expand(line.rest, args) };
    const stage = stages.at(-1);
    if (word === 'ARG') declare(rest, args);
    else if (word === 'FROM') stages.push({ ...stageOf(rest), instructions: [] });
    else if (stage) stage.instructions.push(instructionOf({ word, rest }));
    else throw new Error(`${word} stands before the first FROM`);
  }
  return stages;
}

function linesOf(text: string): Line[] {
  const joined = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  return joined
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [word = '', ...rest] = line.trim().split(' ');
      return { word, rest: rest.join(' ') };
    });
}

function declare(rest: string, args: Record<string, string>): void {
  const [name = '', value] = rest.split('=');
  if (args[name] === undefined && value !== undefined) args[name] = value;
  if (args[name] === undefined) throw new Error(`ARG ${name} has no value`);
}

function expand(text: string, args: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_match, name: string) => {
    const value = args[name];
    if (value === undefined) throw new Error(`\${${name}} has no value`);
    return value;
  });
}

function stageOf(rest: string): Omit<Stage, 'instructions'> {
  const found = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(rest);
  if (found?.[1] === undefined) throw new Error(`FROM ${rest} is not known here`);
  return { base: found[1], name: found[2] };
}

function instructionOf({ word, rest }: Line): Instruction {
  const reader = readers[word];
  if (reader === undefined) throw new Error(`${word} is not known here: ${rest}`);
  return reader(rest);
}

const readers: Readonly<Record<string, (rest: string) => Instruction>> = {
  COPY: copyOf,
  RUN: (rest) => ({ kind: 'run', command: rest.startsWith('[') ? wordsOf(rest) : rest }),
  WORKDIR: (path) => ({ kind: 'workdir', path }),
  USER: userOf,
  ENV: (rest) => ({
    kind: 'env',
    values: Object.fromEntries(rest.split(' ').map((pair) => pair.split('='))),
  }),
  ENTRYPOINT: (rest) => ({ kind: 'entrypoint', words: wordsOf(rest) }),
  CMD: (rest) => ({ kind: 'cmd', words: wordsOf(rest) }),
  STOPSIGNAL: (signal) => ({ kind: 'stopsignal', signal }),
};

/** Only the form without a shell. */
function wordsOf(rest: string): string[] {
  const words: unknown = JSON.parse(rest);
  if (!Array.isArray(words)) throw new Error(`${rest} is no list of words`);
  return words.map(String);
}

function userOf(rest: string): Instruction {
  const found = /^(\d+):(\d+)$/.exec(rest);
  if (!found) throw new Error(`USER ${rest} is not known here: it has to be given by numbers`);
  return { kind: 'user', uid: Number(found[1]), gid: Number(found[2]) };
}

function copyOf(rest: string): Instruction {
  const words = rest.split(' ');
  const flags = words.filter((word) => word.startsWith('--'));
  const paths = words.slice(flags.length);
  const target = paths.pop();
  if (target === undefined || paths.length === 0) throw new Error(`COPY ${rest} has no target`);
  const options: { from?: string; owner?: number } = {};
  for (const flag of flags) {
    const from = /^--from=(\w+)$/.exec(flag)?.[1];
    const owner = /^--chown=(\d+):\1$/.exec(flag)?.[1];
    if (from !== undefined) options.from = from;
    else if (owner !== undefined) options.owner = Number(owner);
    else throw new Error(`COPY ${flag} is not known here`);
  }
  return { kind: 'copy', ...options, sources: paths, target };
}
