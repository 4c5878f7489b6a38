import {
  CancellationScope,
  condition,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';

/** A workflow whose code never comes back. */
export async function machine(): Promise<void> {
  for (;;);
}

const { step } = proxyActivities<{ step(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

async function rest(): Promise<void> {
  await sleep('1 hour', { summary: 'nothing to do' });
}

/** Does a step, rests until it is signalled, and then waits for ever. */
export async function patient(): Promise<void> {
  const resting = new CancellationScope();
  setHandler(defineSignal('wake'), () => resting.cancel());
  await step();
  await resting.run(rest).catch(() => undefined);
  setCurrentDetails('waits for a signal');
  await condition(() => false);
}
