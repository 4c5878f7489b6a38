import type { Stack } from './stack-file.ts';

/** From the supervisor to the process that started it. */
export type SupervisorMessage =
  | { type: 'plan'; steps: string[] }
  | { type: 'step'; step: string; text: string }
  | { type: 'stepDone'; step: string; text: string }
  | { type: 'stepFailed'; step: string; text: string }
  /** News that belong to no step: a port was taken, a component died. */
  | { type: 'news'; text: string }
  | { type: 'ready'; stack: Stack }
  | { type: 'alreadyRunning' }
  | { type: 'failed'; text: string };

/** To the supervisor. Without `detach`, it stops everything when the channel closes. */
export type StarterMessage = { type: 'detach' } | { type: 'stop' };
