import type { RolloutCommand } from '../../../workflows/contracts/commands.ts';
import {
  formatCommand,
  howToWrite,
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
  [
    'overridePolicies minutes=90 reason=the kernel has a hole ifGeneration=7',
    {
      verb: 'overridePolicies',
      minutes: 90,
      reason: 'the kernel has a hole',
      ifGeneration: 7,
    },
  ],
  ['pause ifGeneration=7', { verb: 'pause', ifGeneration: 7 }],
])('%s is a command of a MachineDeployment, and is written as it is read', (text, command) => {
  expect(writtenRolloutCommand(text)).toEqual({ command });
  expect(formatCommand(command)).toBe(text);
});

test('a quote in a reason does not end the word in the shell of whoever copies the line', () => {
  const command = { verb: 'overridePolicies', minutes: 5, reason: "it's late" } as const;
  const at = { resource: 'machinedeployment', namespace: 'shoot', name: 'pool' };
  expect(howToWrite(at, command)).toBe(
    String.raw`kubectl -n shoot annotate machinedeployment pool 'millwright.dev/command=overridePolicies minutes=5 reason=it'\''s late'`,
  );
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
