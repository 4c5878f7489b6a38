/** What is kept of the console of an instance when its machine turns Failed. */
import { recordTimeout } from '../../../activities/machine/record.ts';
import { trimmed } from '../../../activities/machine-set/machine-lists.ts';
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { recorderOf } from '../../../kube/objects/events.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { ConsoleRead } from '../../../workflows/contracts/machine-activities.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { aWorld, lifeOf } from '../../support/world.ts';

const machine = lifeOf('pool-a');
const path = customResource('machines', namespace, 'pool-a');
const instance = { providerID: 'aws:///eu-west-1/i-1', nodeName: 'pool-a' };
const pending = aMachine({ phase: 'Pending', spec: { ...aMachine().spec, ...instance } });
const now = Date.parse('2027-01-01');

async function fail(
  consoleOutput: ConsoleRead | undefined,
  changes: { prepare?: (world: ReturnType<typeof aWorld>) => void; hasInstance?: boolean } = {},
) {
  const world = aWorld({ control: [pending] });
  const { control } = world;
  changes.prepare?.(world);
  const of = changes.hasInstance === false ? {} : { instance };
  const request = { machine, now, ...of, ...(consoleOutput && { consoleOutput }) };
  const outcome = await recordTimeout(world, request);
  await recorderOf(control).idle();
  const { items } = await control.list<{ reason: string; type: string; message: string }>(
    namespaced('events', namespace),
  );
  const stored = await control.read<Machine>(path);
  return { outcome, stored, event: items.find(({ reason }) => reason === 'NeverJoined'), control };
}

test('it stands in an annotation, written before the phase says Failed, and in an Event', async () => {
  const { stored, event, control } = await fail({ text: 'boot\nkubelet: unauthorized' });
  expect(stored.metadata.annotations).toEqual({
    [annotations.consoleOutput]: 'boot\nkubelet: unauthorized',
  });
  expect(stored.status?.currentStatus?.phase).toBe('Failed');
  expect(control.writes().slice(0, 2)).toEqual([`PATCH ${path}`, `PATCH ${path}/status`]);
  expect(event).toMatchObject({
    type: 'Warning',
    message: `Machine pool-a has no Ready Node. Instance ${instance.providerID} has printed last:\nboot\nkubelet: unauthorized`,
  });
});

test('of a long output the Event has the end', async () => {
  const { event } = await fail({ text: `${'€'.repeat(1_300)}the end` });
  expect(event?.message.length).toBeLessThanOrEqual(1_024);
  expect(event?.message).toMatch(/€the end$/);
});

test('why there is none is said in the Event, and costs no write on the object', async () => {
  const { stored, event, control } = await fail({ reason: 'PermissionDenied: no right' });
  expect(stored.metadata.annotations).toBeUndefined();
  expect(stored.status?.currentStatus?.phase).toBe('Failed');
  expect(control.writes().filter((write) => write.startsWith(`PATCH ${path}`))).toEqual([
    `PATCH ${path}/status`,
  ]);
  expect(event?.message).toBe(
    `Machine pool-a has no Ready Node, and the console of instance ${instance.providerID} was not read: PermissionDenied: no right`,
  );
});

test('without an instance nothing is said of its console', async () => {
  const { stored, event } = await fail(undefined, { hasInstance: false });
  expect(stored.status?.currentStatus?.phase).toBe('Failed');
  expect(event).toBeUndefined();
});

test('what looks like a secret is hidden here too: a driver may be of other people', async () => {
  const { stored, event } = await fail({ text: 'join abcdef.0123456789abcdef\u001B[0m' });
  expect(stored.metadata.annotations).toEqual({
    [annotations.consoleOutput]: 'join abcdef.[redacted]',
  });
  expect(event?.message).toMatch(/join abcdef\.\[redacted\]$/);
});

test('a Machine that takes no annotation turns Failed all the same', async () => {
  const { stored, event } = await fail(
    { text: 'kubelet: unauthorized' },
    {
      prepare: ({ control }) => {
        control.fault = ({ method, path: called }) =>
          method === 'PATCH' && called === path ? { code: 403, reason: 'Forbidden' } : undefined;
      },
    },
  );
  expect(stored.metadata.annotations).toBeUndefined();
  expect(stored.status?.currentStatus?.phase).toBe('Failed');
  expect(event?.message).toContain('kubelet: unauthorized');
});

test('what sets and deployments keep of a Machine does not have it', () => {
  const notes = { [annotations.consoleOutput]: 'x'.repeat(4_096), kept: 'yes' };
  const machineWithOutput = aMachine({ metadata: { annotations: notes } });
  expect(trimmed(machineWithOutput).metadata.annotations).toEqual({ kept: 'yes' });
});
