import type { AzureDouble } from '../../../doubles/azure/double.ts';
import { followed } from '../following.ts';

export interface Outcome<Result> {
  result: Result;
  /** What was told meanwhile, without repetitions. */
  told: string[];
  /** Sleeps. */
  polls: number;
}

/** As a workflow, which sleeps, here by the double's clock, and asks again. */
export async function untilSettled<Result>(
  double: AzureDouble,
  act: (more: { checkpoint?: string }) => Promise<Result>,
): Promise<Outcome<Result>> {
  const { answer, pendings } = await followed(act, ({ pollAfterSeconds }) =>
    double.resources.pass(pollAfterSeconds),
  );
  const messages = pendings.map(({ message }) => message);
  const told = messages.filter((message, index) => message !== messages[index - 1]);
  return { result: answer, told, polls: pendings.length };
}
