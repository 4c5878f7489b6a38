import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connect } from 'node:net';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Postgresql } from '../binaries/postgresql.ts';
import { runProgram } from '../binaries/program.ts';
import type { Layout } from '../layout.ts';
import { host } from '../supervision/ports.ts';
import type { Component } from './component.ts';
import type { StackWorld } from './world.ts';

/** The only role, and superuser. */
export const databaseUser = 'temporal';

/** A Temporal server has 100 at most, so that two have room, and a person beside them. */
const connectionsMax = 220;

/** The database server under a Temporal server of `--temporal=postgresql`. */
export function postgresql({ postgresql: programs, layout, ports }: StackWorld): Component {
  const port = ports.postgresql;
  return {
    name: 'postgresql',
    needs: [],
    address: `${host}:${port}`,
    ports: [port],
    // Ends at once what is under way; SIGTERM would wait for every client to leave.
    endSignal: 'SIGINT',
    command: async () => {
      const user = await unprivilegedUser();
      await prepareCluster(programs(), layout, user);
      return {
        file: programs().postgres,
        ...(user && { user: { uid: user.uid, gid: user.gid } }),
        args: ['-D', clusterOf(layout), ...postgresqlSettings(port)],
      };
    },
    isReady: () => acceptsClients({ host, port }, databaseUser),
  };
}

/** The folder that initdb makes. */
const clusterOf = ({ postgresqlData }: Layout): string => join(postgresqlData, 'cluster');

/** Arguments of `postgres`. */
export function postgresqlSettings(port: number): string[] {
  return [
    `listen_addresses=${host}`,
    `port=${port}`,
    // Their folder would have to be writable, and their path is limited to 107 bytes.
    'unix_socket_directories=',
    `max_connections=${connectionsMax}`,
    // Data survives kill -9, since every commit is handed to the system; only a crash of the
    // machine can lose it. `full_page_writes` stays: a kill can cut the write of a page in two.
    'fsync=off',
  ].flatMap((setting) => ['-c', setting]);
}

/** The password of `databaseUser`. Throws before PostgreSQL was first started. */
export function databasePassword({ postgresqlPassword }: Layout): string {
  return readFileSync(postgresqlPassword, 'utf8');
}

/** Makes the data unless they are there. Data that a killed start left half-made are made anew. */
async function prepareCluster(
  { initdb, majorVersion }: Postgresql,
  layout: Layout,
  user: SystemUser | undefined,
): Promise<void> {
  const cluster = clusterOf(layout);
  const parent = dirname(layout.postgresqlData);
  await mkdir(parent, { recursive: true });
  await mkdir(layout.postgresqlData, { recursive: true, mode: 0o700 });
  if (user) {
    // etcd makes it for itself alone. The user has to pass through it, and no more.
    await chmod(parent, 0o711);
    await chown(layout.postgresqlData, user.uid, user.gid);
    await requireEntry(layout.postgresqlData, user);
  }
  if (existsSync(cluster)) return requireVersion(cluster, majorVersion);
  const partial = `${cluster}.partial`;
  await rm(partial, { recursive: true, force: true });
  await rm(layout.temporalSchema, { force: true });
  const passwordFile = await writePassword(layout, user);
  const common = ['--username', databaseUser, '--encoding=UTF8', '--locale=C', '--no-sync'];
  // Without a password every user of this machine could run programs as the server's.
  const login = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  await runProgram(initdb, [`--pgdata=${partial}`, ...common, ...login], {
    cwd: layout.postgresqlData,
    log: layout.logOf('postgresql'),
    ...(user && { user: { uid: user.uid, gid: user.gid } }),
  });
  await rm(passwordFile);
  await rename(partial, cluster);
}

/** Returns the file that initdb reads it from. */
async function writePassword(layout: Layout, user: SystemUser | undefined): Promise<string> {
  const password = randomBytes(32).toString('hex');
  writeFileAtomically(layout.postgresqlPassword, password);
  const file = join(layout.postgresqlData, 'password');
  await rm(file, { force: true });
  await writeFile(file, password, { mode: 0o600 });
  if (user) await chown(file, user.uid, user.gid);
  return file;
}

/** Only root can enter the home of root. */
async function requireEntry(folder: string, { name, uid, gid }: SystemUser): Promise<void> {
  try {
    await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], {
      cwd: '/',
      user: { uid, gid },
    });
  } catch (error) {
    throw new Error(
      `PostgreSQL runs as the user ${name}, as it refuses to run as root, and ${name} cannot enter ${folder}: name another folder with --state-dir, or do not start as root`,
      { cause: error },
    );
  }
}

function requireVersion(cluster: string, majorVersion: number): void {
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (made === String(majorVersion)) return;
  throw new Error(
    `${cluster} was made by PostgreSQL ${made}, and here is ${majorVersion}: put version ${made} on PATH, or start with --fresh`,
  );
}

interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** The first that exists. */
const candidates = ['postgres', 'nobody'] as const;

/**
 * The user for a program that refuses to run as root; undefined when we are not root ourselves.
 * Rejects when the system has none of the candidates.
 */
async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of candidates) {
    const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { name, uid, gid };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and this system has none of the users ${candidates.join(', ')}: do not start as root`,
  );
}

async function idOf(what: '-u' | '-g', name: string): Promise<number | undefined> {
  try {
    return Number(await runProgram('id', [what, name]));
  } catch {
    return undefined;
  }
}

/** Version of the protocol, which all versions since 7.4 speak. */
const protocolVersion = 0x0003_0000;
/** First byte of the answer: how to authenticate. Another one is an error: it starts or ends. */
const authentication = 'R'.charCodeAt(0);

/**
 * Begins to log in and leaves again. False while the server does not listen, recovers after a kill,
 * or ends: it answers with an error then.
 */
export function acceptsClients(
  address: { host: string; port: number },
  user: string,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(address);
  socket.setTimeout(2_000);
  socket.once('connect', () => socket.write(startupMessage(user)));
  socket.once('data', (answer) => {
    resolve(answer[0] === authentication);
    socket.destroy();
  });
  socket.once('timeout', () => socket.destroy());
  // 'close' follows, and so no answer is an answer too.
  socket.once('error', () => undefined);
  socket.once('close', () => resolve(false));
  return promise;
}

function startupMessage(user: string): Buffer {
  const parameters = Buffer.from(`user\0${user}\0database\0postgres\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + parameters.length, 0);
  head.writeInt32BE(protocolVersion, 4);
  return Buffer.concat([head, parameters]);
}
