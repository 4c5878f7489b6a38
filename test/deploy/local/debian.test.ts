import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  debianNames,
  isDebianPrepared,
  preparedDebian,
} from '../../../deploy/local/prepare/debian.ts';
import { withEnvironment } from '../../support/environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'millwright-debian-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('where there is no apt-get', () => {
  withEnvironment({ PATH: '' });

  test.each(debianNames)(
    'nothing can be done for %s, and who asks for it is told why',
    async (name) => {
      await expect(isDebianPrepared(name)).resolves.toBe(true);
      await expect(preparedDebian(name)).rejects.toThrow(
        `${name} is taken from Debian's packages, and this machine has no apt-get: run it on Debian or Ubuntu`,
      );
    },
  );
});

describe('where there is apt-get', () => {
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  for (const name of ['apt-get', 'dpkg-deb', 'perl']) {
    writeFileSync(join(programs, name), '', { mode: 0o755 });
  }
  withEnvironment({ PATH: programs, XDG_CACHE_HOME: folder });

  test('a package is missing until it is unpacked', async () => {
    await expect(isDebianPrepared('ignition')).resolves.toBe(false);
    await expect(preparedDebian('ignition')).rejects.toThrow('run "npm run prepare:all" once');
  });

  test('a root file system is for root', async () => {
    const uid = jest.spyOn(process, 'getuid').mockReturnValue(1000);
    await expect(isDebianPrepared('debian-root')).resolves.toBe(true);
    await expect(preparedDebian('debian-root')).rejects.toThrow('run it as root');
    uid.mockReturnValue(0);
    await expect(isDebianPrepared('debian-root')).resolves.toBe(false);
    uid.mockRestore();
  });
});
