/** Options of rollouts, which are annotations. */
import { options } from '../../../../workflows/api/constants.ts';
import { minuteMs, secondMs } from '../user.ts';
import type { User } from '../user.ts';
import { pickDeployment } from './rollouts.ts';

/** Of no option; deployments with them hold. */
export const invalidValues = ['none', '-1', 'soon', '5 apples'] as const;

const values: Record<string, (user: User) => string> = {
  [options.canary]: ({ chance }) =>
    chance.pick(['1', '2', '30%', '1 for 2m', '1, 30% for 5m, 60%']),
  [options.soak]: ({ chance }) => chance.pick(['20s', '1m', '2m']),
  [options.rolloutAfter]: (user) => user.timeIn(user.chance.between(-minuteMs, 20 * minuteMs)),
  [options.restart]: (user) => user.timeIn(0),
  [options.autoRollback]: ({ chance }) => chance.pick(['true', 'true', 'false']),
  [options.onDelete]: ({ chance }) => chance.pick(['true', 'true', 'false']),
  [options.replacementBudget]: ({ chance }) => chance.pick(['1', '2', '50%']),
  [options.honorMinReadySeconds]: ({ chance }) => chance.pick(['true', 'false']),
  [options.canaryPassed]: ({ chance }) =>
    `${1 + chance.below(9)}${chance.pick(['', '', ':1', ':2'])}`,
};

/** Any text is a restart, and a revision that is none is nothing to hold for. */
const alwaysValid: readonly string[] = [options.restart, options.canaryPassed];

export async function setRolloutOption(user: User): Promise<void> {
  const picked = pickDeployment(user);
  if (!picked) return;
  const { chance } = user;
  const [key, valueFor] = chance.pick(Object.entries(values));
  const isBad = chance.happens(0.1) && !alwaysValid.includes(key);
  const value = isBad ? chance.pick(invalidValues) : valueFor(user);
  await user.change(picked, { metadata: { annotations: { [key]: value } } });
  if (chance.happens(0.4) || !(await user.wait(10 * secondMs, 20 * minuteMs))) return;
  user.control.patch(picked.path, { metadata: { annotations: { [key]: null } } });
}
