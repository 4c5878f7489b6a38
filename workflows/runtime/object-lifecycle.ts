/** How the workflows of MachineSets and MachineDeployments follow the life of their object. */
import type { GoneSnapshot, SetSnapshot } from '../contracts/messages.ts';
import { isLater } from '../contracts/references.ts';

export interface Following {
  /** The life that this run stands for; set by the first read. */
  uid?: string;
  observed?: SetSnapshot;
  isGone: boolean;
  /** A later object of the same name: its life begins when this one has ended. */
  successor?: SetSnapshot;
}

/** Takes in a live object. Returns whether it is news. */
export function follow(state: Following, seen: SetSnapshot): boolean {
  if (state.uid !== undefined && seen.uid !== state.uid) {
    if (!isLater(seen, state.observed) || !isLater(seen, state.successor)) return false;
    state.successor = seen;
    state.isGone = true;
    return true;
  }
  if (!isLater(seen, state.observed)) return false;
  state.observed = seen;
  return true;
}

export function followGone(state: Following, gone: GoneSnapshot): boolean {
  if (state.successor?.uid === gone.uid) {
    delete state.successor;
    return true;
  }
  if (state.uid !== gone.uid || !isLater(gone, state.observed)) return false;
  state.isGone = true;
  return true;
}
