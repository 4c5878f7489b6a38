/** State of a leading watcher from which its metrics are computed. */
import type { StoreView } from '../../watcher/cache/store.ts';
import type { TermView } from '../../watcher/term.ts';
import type { TermRecorder } from './term-recorder.ts';

export interface Leading {
  namespace: string;
  term: TermView;
  recorder: TermRecorder;
  /** Where a Machine does not say it. */
  creationTimeoutSeconds: number;
  /** Milliseconds since 1970. */
  now: number;
}

/** Once all objects of the control cluster are known: before that, counts would be too low. */
export interface Listed extends Leading {
  store: StoreView;
}

export function listedOf(leading: Iterable<Leading>): Listed[] {
  return [...leading].flatMap((one) => {
    const { store } = one.term;
    return store === undefined ? [] : [{ ...one, store }];
  });
}
