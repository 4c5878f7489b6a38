/** Many calls at once: more than a worker has slots. */
import type { Output } from '../driver-under-test.ts';
import { instanceOf } from '../trial.ts';
import { Mismatch } from '../verdict.ts';
import type { Check } from './check.ts';

const calls = 100;

export const crowdCheck: Check = {
  says: `${calls} calls at once are all answered`,
  async run({ driver, first }) {
    const providerID = instanceOf(first);
    const ask = () => driver.ask('describeInstance', { ...first.request, providerID });
    const answers = await Promise.all(Array.from({ length: calls }, ask));
    const odd = answers.find((answer) => !isRight(answer, providerID));
    if (odd) throw new Mismatch(`${providerID}, found, or too many calls`, odd);
  },
};

/** A cloud may find that they are too many. */
function isRight(answer: Output<'describeInstance'>, providerID: string): boolean {
  if (answer.outcome === 'found') return answer.instance.providerID === providerID;
  return answer.outcome === 'failed' && answer.failure.code === 'Unavailable';
}
