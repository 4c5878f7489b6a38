import { Session } from 'node:inspector';
import type { Worker as Thread } from 'node:worker_threads';
import { after } from '../../../activities/system/system.ts';

/**
 * Ends the JavaScript that a thread runs, and not the thread. `workerId` counts the threads of one
 * session; only the title has the number that Node gave the thread.
 */
export function interrupt({ threadId }: Pick<Thread, 'threadId'>): void {
  const session = new Session();
  session.connect();
  session.on('NodeWorker.receivedMessageFromWorker', () => {
    // Not here: the answer may come while `enable` still goes through the threads, and Node.js would
    // go on with a session that is gone, which ends the process (SIGSEGV).
    after(0, () => session.disconnect());
  });
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    if (!workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
    const message = JSON.stringify({ id: 1, method: 'Runtime.terminateExecution' });
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message });
  });
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
}
