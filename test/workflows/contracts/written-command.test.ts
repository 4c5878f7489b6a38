import type { RolloutCommand } from '../../../workflows/contracts/commands.ts';
import {
  formatCommand,
  writtenMachineCommand,
  writtenRolloutCommand,
} from '../../../workflows/contracts/written-command.ts';

test.each([
  ['skipDrain', { verb: 'skipDrain' }],
  [
    ' extendDrain  minutes=1.5 by=ada@example.org ',
    { verb: 'extendDrain', minutes: 1.5, by: 'ada@example.org' },
  ],
])('%s is a command of a Machine', (text, command) => {
  expect(writtenMachineCommand(text)).toEqual({ command });
});

test.each<[string, RolloutCommand]>([
  ['pause', { verb: 'pause' }],
  ['rollback revision=3', { verb: 'rollback', revision: 3 }],
  ['setReplicas replicas=0', { verb: 'setReplicas', replicas: 0 }],
  ['pause ifGeneration=7', { verb: 'pause', ifGeneration: 7 }],
])('%s is a command of a MachineDeployment, and is written as it is read', (text, command) => {
  expect(writtenRolloutCommand(text)).toEqual({ command });
  expect(formatCommand(command)).toBe(text);
});

test.each([
  ['', 'must be one of retryNow'],
  ['pause', 'must be one of retryNow'],
  ['constructor', 'must be one of retryNow'],
  ['extendDrain minutes=-1', 'must be minutes=NUMBER'],
  ['extendDrain minutes=1e9', 'must be minutes=NUMBER'],
  ['skipDrain force', 'must be minutes=NUMBER'],
  ['skipDrain __proto__=1', 'must be minutes=NUMBER'],
  [`skipDrain by=${'a'.repeat(300)}`, 'at most 300 characters'],
])('%s is none of a Machine', (text, fault) => {
  expect(writtenMachineCommand(text)).toEqual({ fault: expect.stringContaining(fault) });
});
