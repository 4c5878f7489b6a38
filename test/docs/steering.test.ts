/** docs/steering-from-the-ui.md names what there is to be sent to a run, and nothing else. */
import * as messages from '../../workflows/contracts/messages.ts';
import type { MachineCommand, RolloutCommand } from '../../workflows/contracts/commands.ts';
import { machineCommands, rolloutCommands } from '../../workflows/contracts/commands.ts';
import { errorOf } from '../../workflows/machine/commands.ts';
import type { MachineState } from '../../workflows/machine/state.ts';
import { newMachineState } from '../../workflows/machine/state.ts';
import { candidateState } from '../workflows/machine/candidate-state.ts';
import { faultOf } from '../../workflows/machine-deployment/commands.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/steering-from-the-ui.md');

/** `ifGeneration`, which each of them takes, is said once. */
type InputOf<Command extends { verb: string }> = {
  [One in Command as One['verb']]: Required<Omit<One, 'verb' | 'ifGeneration'>>;
};

/** Every field of each command: a new one, or a new field, does not compile without its example. */
const ofMachines: InputOf<MachineCommand> = {
  retryNow: { by: 'ada' },
  skipDrain: { by: 'ada' },
  forceDelete: { by: 'ada' },
  extendDrain: { minutes: 30, by: 'ada' },
  skipVolumeWait: { by: 'ada' },
  retryUpdate: { by: 'ada' },
  giveUpUpdate: { by: 'ada' },
  selectForUpdate: { by: 'ada' },
};
const ofRollouts: InputOf<RolloutCommand> = {
  pause: { by: 'ada' },
  resume: { by: 'ada' },
  rollback: { revision: 0, by: 'ada' },
  setReplicas: { replicas: 4, by: 'ada' },
  overridePolicies: { minutes: 60, reason: 'CVE', by: 'ada' },
};

/** First and second column of the table below a heading. */
function formsBelow(heading: string): Record<string, unknown> {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [body = ''] = section.split('\n## ');
  const rows = [...body.matchAll(/^\| `(\w+)` +\| `([^`]+)` +\|/gm)];
  return Object.fromEntries(rows.map(([, name = '', json = '']) => [name, JSON.parse(json)]));
}

describe('the forms', () => {
  test.each([
    ['machine', machineCommands, ofMachines],
    ['machineDeployment', rolloutCommands, ofRollouts],
  ] as const)(
    'of a %s are those that it hears, each with all its fields, and described alike',
    (kind, table, inputs) => {
      const forms = formsBelow(`Runs of type \`${kind}\``);
      expect(forms).toEqual(inputs);
      expect(Object.keys(forms)).toEqual(Object.keys(table));
      for (const [name, { signal, update, description }] of Object.entries(table)) {
        expect([signal.name, update.name]).toEqual([name, name]);
        expect(page.match(new RegExp(`^\\| \`${name}\` .* \\| (.*?) *\\|$`, 'm'))?.[1]).toBe(
          description,
        );
      }
    },
  );

  test('are taken by a run that they are for', () => {
    const draining = newMachineState(0);
    draining.teardown = { stage: 'draining', startedAt: 0 };
    const failed: MachineState = { ...newMachineState(0), phase: 'InPlaceUpdateFailed' };
    const states: Record<string, MachineState> = {
      selectForUpdate: candidateState(),
      retryUpdate: failed,
      giveUpUpdate: failed,
    };
    const forMachine = Object.entries(ofMachines).map(([verb, input]) =>
      errorOf(Object({ verb, ...input }), states[verb] ?? draining),
    );
    const forRollout = Object.entries(ofRollouts).map(([verb, input]) =>
      faultOf(Object({ verb, ...input }), undefined),
    );
    expect([...forMachine, ...forRollout].filter((fault) => fault !== undefined)).toEqual([]);
  });
});

/** What a module of definitions has, by kind. */
function namesOf(kind: 'signal' | 'query'): string[] {
  return Object.values(messages).flatMap((one: object) => {
    const { type, name }: { type?: unknown; name?: unknown } = Object(one);
    return type === kind && typeof name === 'string' ? [name] : [];
  });
}

test('every signal that is not for people is named as such', () => {
  const [, last = ''] = page.split('## Not for people\n');
  const named = [...last.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(named.filter((name) => name !== 'kubectl').toSorted()).toEqual(
    namesOf('signal').toSorted(),
  );
});

test('the field that each command takes is named', () => {
  const fields = Object.values({ ...machineCommands, ...rolloutCommands }).map((one) => one.fields);
  expect(fields.filter((names) => !names.includes('ifGeneration'))).toEqual([]);
  expect(page).toContain('`ifGeneration`');
});

test('every query is named', () => {
  const queries = namesOf('query');
  expect(queries.length).toBeGreaterThan(3);
  expect(queries.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
