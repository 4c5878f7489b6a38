import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresql } from '../../../deploy/local/binaries/postgresql.ts';
import { acceptsClients } from '../../../deploy/local/components/postgresql.ts';
import { requireSameTemporal } from '../../../deploy/local/kept-state.ts';
import { layoutOf } from '../../../deploy/local/layout.ts';

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'millwright-postgresql-'));
}

/** Returns the folder. */
function anInstallation(folder: string, prints: string, programs = ['initdb', 'postgres']): string {
  mkdirSync(folder, { recursive: true });
  for (const program of programs) {
    const file = join(folder, program);
    writeFileSync(file, `#!/bin/sh\necho "${prints}"\n`);
    chmodSync(file, 0o755);
  }
  return folder;
}

const prints = (version: string): string => `postgres (PostgreSQL) ${version}`;

describe('where PostgreSQL comes from', () => {
  test('PATH goes before the system', async () => {
    const folder = temporaryFolder();
    const systemFolder = join(folder, 'system');
    anInstallation(join(systemFolder, '17/bin'), prints('17.2'));
    const onPath = anInstallation(join(folder, 'path'), prints('14.9'));
    await expect(findPostgresql({ env: { PATH: onPath }, systemFolder })).resolves.toEqual({
      initdb: join(onPath, 'initdb'),
      postgres: join(onPath, 'postgres'),
      majorVersion: 14,
    });
  });

  test('of those of the system, the newest', async () => {
    const systemFolder = temporaryFolder();
    for (const version of ['9.6', '13', '15']) {
      anInstallation(join(systemFolder, version, 'bin'), prints(version));
    }
    const found = await findPostgresql({ env: { PATH: '' }, systemFolder });
    expect(found.majorVersion).toBe(15);
  });

  test('one that is too old, and a client without the server, are passed over with a line', async () => {
    const systemFolder = temporaryFolder();
    anInstallation(join(systemFolder, '17/bin'), prints('17.2'), ['initdb']);
    anInstallation(join(systemFolder, '16/bin'), prints('11.4'));
    anInstallation(join(systemFolder, '13/bin'), prints('13.1'));
    const said: string[] = [];
    const report = (line: string): unknown => said.push(line);
    const found = await findPostgresql({ env: {}, systemFolder, report: (line) => report(line) });
    expect(found.majorVersion).toBe(13);
    expect(said.join('\n')).toContain('17/bin has not both initdb and postgres: skipped');
    expect(said.join('\n')).toContain('not version 12 or newer: skipped');
  });

  test('where there is none, the error says what to install', async () => {
    const systemFolder = join(temporaryFolder(), 'none');
    await expect(findPostgresql({ env: { PATH: '' }, systemFolder })).rejects.toThrow(
      `PostgreSQL was not found in PATH or ${systemFolder}: install version 12 or newer, e.g. apt-get install postgresql, or brew install postgresql@17 and then export PATH="$(brew --prefix postgresql@17)/bin:$PATH"`,
    );
  });
});

describe('whether PostgreSQL accepts clients', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** Answers a client's first message with this. Returns where it listens, and what it was sent. */
  async function aServer(answer: string): Promise<{ port: number; sent: Buffer[] }> {
    const sent: Buffer[] = [];
    const listening = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (message) => {
        sent.push(message);
        socket.end(answer);
      });
    });
    server = listening;
    await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
    const address = listening.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return { port: address.port, sent };
  }

  test('it does when it asks for a password; the message is that of the protocol', async () => {
    const { port, sent } = await aServer('R\0\0\0\x0c');
    await expect(acceptsClients({ host: '127.0.0.1', port }, 'me')).resolves.toBe(true);
    const parameters = 'user\0me\0database\0postgres\0\0';
    const length = String.fromCharCode(8 + parameters.length);
    expect(sent[0]?.toString('latin1')).toBe(`\0\0\0${length}\0\x03\0\0${parameters}`);
  });

  test('not while it starts or ends, which it says with an error', async () => {
    const { port } = await aServer('E\0\0\0\x0857P03\0');
    await expect(acceptsClients({ host: '127.0.0.1', port }, 'me')).resolves.toBe(false);
  });

  test('not when it hangs up, or does not listen', async () => {
    const { port } = await aServer('');
    await expect(acceptsClients({ host: '127.0.0.1', port }, 'me')).resolves.toBe(false);
    await new Promise((done) => server?.close(done));
    await expect(acceptsClients({ host: '127.0.0.1', port }, 'me')).resolves.toBe(false);
  });
});

describe('a state folder that holds workflows', () => {
  test('is not started with a Temporal server of the other kind', () => {
    const ofPostgresql = layoutOf(temporaryFolder());
    mkdirSync(ofPostgresql.postgresqlData, { recursive: true });
    expect(() => requireSameTemporal(ofPostgresql, 'development')).toThrow(
      `the workflows of ${ofPostgresql.stateDir} are in data/postgresql, of --temporal=postgresql`,
    );
    const ofDevelopment = layoutOf(temporaryFolder());
    mkdirSync(join(ofDevelopment.stateDir, 'data'));
    writeFileSync(ofDevelopment.temporalDatabase, '');
    expect(() => requireSameTemporal(ofDevelopment, 'postgresql')).toThrow(
      'are in data/temporal.db, of --temporal=development',
    );
  });

  test('is started with one of the same, with one elsewhere, and when it is new', () => {
    const layout = layoutOf(temporaryFolder());
    for (const kind of ['development', 'postgresql', 'elsewhere'] as const) {
      expect(() => requireSameTemporal(layout, kind)).not.toThrow();
    }
    mkdirSync(layout.postgresqlData, { recursive: true });
    expect(() => requireSameTemporal(layout, 'postgresql')).not.toThrow();
    expect(() => requireSameTemporal(layout, 'elsewhere')).not.toThrow();
  });
});
