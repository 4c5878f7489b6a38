import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, messageOf } from '../failure.ts';
import { findOnPath, isExecutable, runProgram } from './program.ts';

/** The programs of one installation. */
export interface Postgresql {
  initdb: string;
  postgres: string;
  /** Its data can only be read by the same. */
  majorVersion: number;
}

export interface PostgresqlWorld {
  env: NodeJS.ProcessEnv;
  /** Holds a folder for each major version. */
  systemFolder: string;
  /** Says what is passed over, in one line. */
  report: (line: string) => void;
}

/** Debian, Ubuntu and what comes of them keep the server's programs off PATH. */
const systemFolder = '/usr/lib/postgresql';

/** Temporal's plugin `postgres12` needs it. */
const oldest = 12;

/**
 * The PostgreSQL of this machine: from PATH, else the newest of the system. It is not fetched.
 * Rejects with what to install.
 */
export async function findPostgresql(given: Partial<PostgresqlWorld> = {}): Promise<Postgresql> {
  const world = { env: process.env, systemFolder, report: () => undefined, ...given };
  for (const folder of await foldersOf(world)) {
    const found = await postgresqlIn(folder, world);
    if (found !== undefined) return found;
  }
  // Homebrew links no formula with a version in its name.
  const ofHomebrew =
    'brew install postgresql@17 and then export PATH="$(brew --prefix postgresql@17)/bin:$PATH"';
  throw new Error(
    `PostgreSQL was not found in PATH or ${world.systemFolder}: install version ${oldest} or newer, e.g. apt-get install postgresql, or ${ofHomebrew}`,
  );
}

async function foldersOf(world: PostgresqlWorld): Promise<string[]> {
  const onPath = await findOnPath('postgres', world.env['PATH'] ?? '');
  const versions = await namesIn(world.systemFolder);
  const ofSystem = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(world.systemFolder, version, 'bin'));
  return [...(onPath === undefined ? [] : [dirname(onPath)]), ...ofSystem];
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function postgresqlIn(
  folder: string,
  { report }: PostgresqlWorld,
): Promise<Postgresql | undefined> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')];
  if (!(await isExecutable(initdb)) || !(await isExecutable(postgres))) {
    report(`${folder} has not both initdb and postgres: skipped`);
    return undefined;
  }
  try {
    const printed = await runProgram(postgres, ['--version']);
    const majorVersion = Number(/\(PostgreSQL\) (\d+)/.exec(printed)?.[1]);
    if (majorVersion >= oldest) return { initdb, postgres, majorVersion };
    report(`${postgres} is "${printed.trim()}", not version ${oldest} or newer: skipped`);
  } catch (error) {
    report(`${postgres} does not print its version (${messageOf(error)}): skipped`);
  }
  return undefined;
}
