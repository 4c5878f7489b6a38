import { once } from 'node:events';
import { Worker as Thread } from 'node:worker_threads';
import { interrupt } from '../../../../workers/temporal/sandbox/interrupt.ts';

/** Runs for ever each time it is told to. */
const endless = `
  const { parentPort } = require('node:worker_threads');
  const vm = require('node:vm');
  const context = vm.createContext({});
  parentPort.on('message', () => {
    parentPort.postMessage('begins');
    vm.runInContext('for (;;) [1].map((one) => one + 1);', context);
  });
`;

const start = (code: string): Thread => new Thread(code, { eval: true });

/** An answer that comes while the inspector goes through the threads ended the process (SIGSEGV). */
test('hundreds of interruptions beside other threads leave the process and its threads alive', async () => {
  const others = Array.from({ length: 10 }, () =>
    start("require('node:worker_threads').parentPort.ref()"),
  );
  const thread = start(endless);
  // Each is reported as an error of the thread's code, and is none of the thread.
  for (let count = 0; count < 200; count += 1) {
    const begun = once(thread, 'message');
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none.
    thread.postMessage('go');
    await begun;
    interrupt(thread);
  }
  for (const one of [thread, ...others]) expect(one.threadId).toBeGreaterThan(0);
  await Promise.all([thread, ...others].map((one) => one.terminate()));
});
