/**
 * Ends this process when its parent is gone. Node has no parent-death signal, so the parent's pid is
 * looked at twice a second; an orphan gets another parent. It sends SIGTERM to itself, so that the
 * process ends in its ordinary way.
 */
const period = 500;

/** @param {number} parent pid that `process.ppid` must keep. */
export function watchParent(parent) {
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, period);
  timer.unref();
}

// Preloaded with --import by bootstrap.mjs. The variable is not passed on: children have other parents.
const parent = process.env.MILLWRIGHT_WATCH_PARENT;
if (parent !== undefined) {
  delete process.env.MILLWRIGHT_WATCH_PARENT;
  watchParent(Number(parent));
}
