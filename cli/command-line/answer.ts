/** Answers of commands, and how they are printed. */
import { stringify } from 'yaml';
import type { Format, OutputOptions } from './options.ts';

export interface Answer<Data = unknown> {
  /** For people. */
  text: string;
  /** For people, on standard error: what is no part of a text that goes into a file. */
  aside?: string;
  /** For programs: `-o json` and `-o yaml`. */
  data: Data;
  /** `-o name`: `kind/name` of each object. */
  names?: readonly string[];
  /** Default 0. */
  exitCode?: 0 | 1;
}

/** Carries out a command, and prints its answer. Tests have one of their own. */
export type AnswerPrinter = <Options extends OutputOptions>(
  options: Options,
  carryOut: (options: Options) => Promise<Answer>,
) => Promise<void>;

export const printAnswer: AnswerPrinter = async (options, carryOut) => {
  const answer = await carryOut(options);
  const text = formatAnswer(answer, options.output);
  if (answer.aside !== undefined && options.output === undefined) console.error(answer.aside);
  if (text !== '') console.log(text);
  process.exitCode = answer.exitCode ?? 0;
};

function formatAnswer({ text, data, names = [] }: Answer, format?: Format): string {
  switch (format) {
    case 'json':
      return JSON.stringify(data, undefined, 2);
    case 'yaml':
      return stringify(data).trimEnd();
    case 'name':
      return names.join('\n');
    case 'wide':
    case undefined:
      return text;
  }
}
