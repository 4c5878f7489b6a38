/** A command whose output is read no more, as in `millwright driver verify | head`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const closedOutput = fileURLToPath(
  new URL('../../../cli/command-line/closed-output.ts', import.meta.url),
);

/** Prints on and on, to a pipe that is closed after the first line; what it says on stderr. */
async function saidBy(work: string): Promise<{ said: string; code: number }> {
  const script = `
    import { setImmediate } from 'node:timers/promises';
    const { endWithOutput, finishing } = await import(${JSON.stringify(closedOutput)});
    endWithOutput();
    let isClosed = false;
    async function print() {
      while (!isClosed) {
        console.log('a line');
        await setImmediate();
      }
      console.error('cleaned up');
      process.exitCode = 1;
    }
    ${work}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  child.stdout.once('data', () => child.stdout.destroy());
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const [code]: number[] = await once(child, 'close');
  return { said, code: code ?? -1 };
}

test('ends at once where nothing has to be finished', async () => {
  expect(await saidBy('await print();')).toEqual({ said: '', code: 0 });
});

test('finishes first what has to be finished, and hears of it', async () => {
  const work = "await finishing(print, () => { isClosed = true; console.error('closed'); });";
  expect(await saidBy(work)).toEqual({ said: 'closed\ncleaned up\n', code: 1 });
});
