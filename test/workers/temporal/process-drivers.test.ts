import { Registry } from 'prom-client';
import type { DriverSettings } from '../../../activities/drivers/settings.ts';
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import { createProcessDrivers } from '../../../workers/temporal/process-drivers.ts';
import { logLines } from '../log/log-lines.ts';

function driversOf(...argv: string[]) {
  const command = readCommandLine({ component: 'worker', argv, env: {} });
  if (command.kind !== 'run') throw new Error(command.text);
  const settings: DriverSettings[] = [];
  const drivers = createProcessDrivers({
    config: command.config,
    registry: new Registry(),
    log: logLines().log,
    createDrivers: (given) => {
      settings.push(given);
      return new Map([['virtual', createVirtualDriver({ url: undefined })]]);
    },
  });
  const folders = (): (string | undefined)[] =>
    settings.map(({ env }) => env['MILLWRIGHT_TOKEN_DIRECTORY']);
  return { drivers, folders };
}

test('each namespace of a fleet has a folder of token files of its own', () => {
  const { drivers, folders } = driversOf('--token-files');
  drivers.of('a');
  drivers.of('b');
  expect(folders().slice(1)).toEqual([
    expect.stringMatching(/\/workload-identity\/a$/),
    expect.stringMatching(/\/workload-identity\/b$/),
  ]);
});

test('without token files, and outside of a fleet, there is one driver for all', () => {
  const { drivers } = driversOf();
  expect(drivers.of('a')).toBe(drivers.shared);
  const { drivers: ofOne } = driversOf('--token-files');
  expect(ofOne.of(undefined)).toBe(ofOne.shared);
});
