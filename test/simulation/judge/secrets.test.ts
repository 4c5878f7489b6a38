import { runInNewContext } from 'node:vm';
import { base64 } from '../../support/builders.ts';
import { secretMarker } from '../users/objects.ts';
import { courtroom, startRun } from './courtroom.ts';
import { holdsSecret } from './payloads.ts';
import { findSecret, hasSecret } from './secrets.ts';

const secret = `${secretMarker}0f6e`;
const forms = [
  ['plain', `{"password":"${secret}"}`],
  ['base64', base64(secret)],
  ['base64 after one byte', base64(`x${secret}`)],
  ['base64 after two bytes', base64(`xy${secret} and more`)],
  ['base64 after three bytes', base64(`xyz${secret}`)],
] as const;

describe.each(forms)('%s', (_, text) => {
  test('is found in a text', () => expect(findSecret(`before ${text} after`)).toBeDefined());

  test('is found in a part of a buffer', () => {
    const data = Buffer.from(`....${text}`).subarray(4);
    expect(hasSecret(data)).toBe(true);
  });
});

test('what is found says where, and not what', () => {
  expect(findSecret(`the userData is ${secret}`)).toBe(`the userData is ${secretMarker}`);
});

test.each(['', 's3cr3t', 'i-1 of pool-a', base64('s3cr3t')])('%j has no secret', (text) => {
  expect(findSecret(text)).toBeUndefined();
  expect(hasSecret(Buffer.from(text))).toBe(false);
});

test('bytes of the sandbox, which are of a class of its own, are searched', () => {
  const data: unknown = runInNewContext('Uint8Array.from(bytes)', { bytes: Buffer.from(secret) });
  expect(data).not.toBeInstanceOf(Uint8Array);
  expect(holdsSecret([{ scheduleActivity: { arguments: [{ data }] } }])).toBe(true);
});

test('the history of a workflow is searched', async () => {
  const { world, pass } = courtroom();
  const start = (workflowId: string, text: string) =>
    startRun(world, workflowId, 'machine').activations.push({
      jobs: [{ signalWorkflow: { signalName: 'x', input: [{ data: Buffer.from(text) }] } }],
      timestamp: 0,
      historyLength: 1,
      historySize: 1,
      continueAsNewSuggested: false,
      commands: [],
      flags: [],
    });
  start('machine/a/b', secret);
  start('machine/a/c', 'no secret');
  await pass(3_600_000);
  expect(world.simulation.violations.map(({ text }) => text)).toEqual([
    'the history of machine/a/b: a value of a Secret',
  ]);
});

test('logs and payloads are accused once for each place', () => {
  const { judge, world } = courtroom();
  judge.hearLog('one-worker-1', 'all is well');
  judge.hearLog('one-worker-1', `refused: ${secret}`);
  judge.hearLog('one-worker-1', `refused again: ${secret}`);
  judge.hearPayload('signal of machine/a/b', Buffer.from(secret));
  judge.hearPayload('signal of machine/a/b', Buffer.from('{}'));
  judge.hearPayload('signal of machine/a/b', undefined);
  const { violations } = world.simulation;
  expect(violations.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([
    `no secret leaves: the log of one-worker-1: refused: ${secretMarker}`,
    'no secret leaves: signal of machine/a/b: a payload with a secret',
  ]);
});
