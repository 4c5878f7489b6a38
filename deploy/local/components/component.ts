/** How to run one process. */
export interface Command {
  file: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** For what must not run as root. Default our own. */
  user?: { uid: number; gid: number };
}

/**
 * For the two busiest Go programs of the stack: they collect garbage a third as often, for some
 * more memory. On two cores that is a tenth of all CPU time when a hundred machines start.
 */
export const fewerCollections = { GOGC: '300' } as const;

/**
 * One process of the stack, as data: who starts it, watches it and starts it again is
 * `supervision/`.
 */
export interface Component {
  name: string;
  /** Names of components and jobs that must be ready before each start. */
  needs: readonly string[];
  /** The address that a person would open or dial. */
  address?: string;
  /** Ports that must be free before a start. */
  ports: readonly number[];
  /** Called before each start. Its preparations must be safe to repeat. */
  command: () => Promise<Command>;
  /** Asks it to end in order. Default SIGTERM. */
  endSignal?: NodeJS.Signals;
  /** One look: does it answer? A component without it is ready once its process runs. */
  isReady?: () => Promise<boolean>;
}

/** A step that ends: it runs once, when what it needs is ready. Returns what to say about it. */
export interface Job {
  name: string;
  needs: readonly string[];
  run: () => Promise<string>;
}

/** Does the URL answer with status 200? No answer and another status are both "not yet". */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
