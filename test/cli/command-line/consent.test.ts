/** The question before a command that cannot be undone. */
import { PassThrough } from 'node:stream';
import { text as wholeText } from 'node:stream/consumers';
import { onceAgreed } from '../../../cli/command-line/consent.ts';

/** Asks on a terminal on which a person types `keys`; undefined: the terminal goes away. */
async function askedWith(keys: string | undefined) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  const streams = { stdin: { value: input }, stderr: { value: output } };
  const ours = process;
  globalThis.process = Object.create(ours, streams);
  const preview = { text: 'millwright will: do it', data: { of: 'a' } };
  const answer = onceAgreed({}, preview, async () => ({ text: 'done', data: {} }));
  if (keys === undefined) input.end();
  else input.write(keys);
  const { text, exitCode } = await answer;
  globalThis.process = ours;
  output.end();
  return { text, exitCode, shown: await wholeText(output) };
}

test('only "yes" is one', async () => {
  expect(await askedWith('yes\n')).toMatchObject({ text: 'done' });
  expect(await askedWith('y\n')).toMatchObject({ exitCode: 1 });
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C after a word', 'yes\u0003'],
  ['the end of the terminal', undefined],
])('%s is a no', async (_name, keys) => {
  const { text, exitCode, shown } = await askedWith(keys);
  expect(text).toBe('millwright will: do it\nNothing was done. Say --yes to do it.');
  expect(exitCode).toBe(1);
  // What is printed next begins a line of its own.
  expect(shown.endsWith('\n')).toBe(true);
});
