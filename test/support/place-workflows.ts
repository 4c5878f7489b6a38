/** Workflows with one step each, for the tests of what a worker of another install does with it. */
import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

interface Steps {
  step(): Promise<string>;
}

const startToCloseTimeout = '10s';

export async function regular(_input: object): Promise<string> {
  return await proxyActivities<Steps>({
    startToCloseTimeout,
    retry: { maximumAttempts: 1 },
  }).step();
}

export async function endless(_input: object): Promise<string> {
  const retry = { initialInterval: '100ms', backoffCoefficient: 1 } as const;
  return await proxyActivities<Steps>({ startToCloseTimeout, retry }).step();
}

/** It may fail, and even then something else is done: a workflow that catches everything. */
export async function local(_input: object): Promise<string> {
  const retry = { maximumAttempts: 1 };
  try {
    return await proxyLocalActivities<Steps>({ startToCloseTimeout, retry }).step();
  } catch {
    return 'failed';
  }
}
