import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { startGuardian } from '../supervision/guardian.ts';

export interface ProgramOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Everything that it prints is appended to this file as well. */
  log?: string;
  /** It is killed after this time, or with 0 never; default 30 minutes. */
  limitMs?: number;
  /** It is killed, with all that it started, when this process ends in any way. Default false. */
  endsWithUs?: boolean;
  /** For what must not run as root. Default our own. */
  user?: { uid: number; gid: number };
  /** Given to its standard input. */
  input?: string;
  /** Leaves out of the answer what the program prints to standard error. Default false. */
  errorsApart?: boolean;
}

/**
 * Runs a program to its end and returns what it printed. Rejects with its last lines when it fails.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  {
    cwd,
    env,
    log,
    limitMs = 30 * 60_000,
    endsWithUs = false,
    user,
    input,
    errorsApart = false,
  }: ProgramOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      ...user,
      // A process group of its own for the guardian.
      detached: endsWithUs,
      env: { ...process.env, ...env },
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    const guardian = endsWithUs && child.pid !== undefined ? startGuardian(child.pid) : undefined;
    const sink = log === undefined ? undefined : createWriteStream(log, { flags: 'a' });
    let printed = '';
    let answer = '';
    const take = (part: Buffer): void => {
      printed += part.toString();
      sink?.write(part);
    };
    child.stdout.on('data', (part: Buffer) => {
      answer += part.toString();
      take(part);
    });
    child.stderr.on('data', take);
    // A program that ends without reading its input breaks the pipe; its exit code says what
    // happened.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', (error) => reject(new Error(`cannot run ${file}: ${error.message}`)));
    child.on('close', (code, signal) => {
      guardian?.kill('SIGKILL');
      sink?.end();
      if (code === 0) resolve(errorsApart ? answer : printed);
      else
        reject(
          new Error(`${file} ended with ${signal ?? `code ${code}`}: ${lastLines(printed, 10)}`),
        );
    });
  });
}

/** The last lines that are not empty. */
export function lastLines(text: string, count: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-count).join('\n');
}

/** The first program of that name on PATH. */
export async function findOnPath(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    // A folder that "may be executed" is one that may be entered.
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
