/** Views of the progress of a start. */
import type { SupervisorMessage } from './supervision/messages.ts';

/** Shows how the start goes. */
export interface StartView {
  show: (message: SupervisorMessage) => void;
  /** Resolves when the last line of the steps is drawn. */
  close: () => Promise<void>;
}
