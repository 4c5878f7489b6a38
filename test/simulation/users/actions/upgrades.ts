/** New versions of our own processes, in the middle of work. */
import { secondMs } from '../user.ts';
import type { User } from '../user.ts';
import { scale } from './scaling.ts';

const poolsMost = 3;

/** As `kubectl rollout restart` does it, one after the other, while machines come and go. */
export async function upgradeWorkers(user: User): Promise<void> {
  for (let pool = 0; pool < poolsMost; pool += 1) await scale(user);
  if (!(await user.wait(secondMs / 10, 20 * secondMs))) return;
  for (const replica of user.install.replicas) {
    if (replica.component === 'watcher' || !replica.process) continue;
    user.note(`restarts ${replica.name}`);
    replica.restart();
    if (!(await user.wait(secondMs, 20 * secondMs))) return;
  }
}
