/** Which hooks hold up a deletion, by how far it is. */
import {
  formatHook,
  type DeletionHooks,
  type HeldPart,
  type Hook,
} from '../../api/deletion-hooks.ts';
import type { TeardownStage } from './facts.ts';

export interface Hold {
  /** The part of the deletion that does not begin. */
  part: HeldPart;
  hooks: Hook[];
}

/** Parts of the deletion that are still to begin, and that the next step may begin. */
export function partsToBegin(stage: TeardownStage, isDrainBegun: boolean): HeldPart[] {
  if (stage === 'deleted' || stage === 'finished') return [];
  // A drain that is left out passes no hook.
  const drain: HeldPart[] = isDrainBegun ? [] : ['drain'];
  return stage === 'deleting' ? [...drain, 'instance'] : drain;
}

/** The hooks of the first part that any hold. */
export function holdOf(
  hooks: DeletionHooks | undefined,
  parts: readonly HeldPart[],
): Hold | undefined {
  for (const part of parts) {
    const held = hooks?.[part] ?? [];
    if (held.length > 0) return { part, hooks: held };
  }
  return undefined;
}

/** Undefined where nothing holds. */
export function digestOfHold(hold: Hold | undefined): string | undefined {
  if (!hold) return undefined;
  return JSON.stringify([
    hold.part,
    hold.hooks.map(({ annotation, owner }) => [annotation, owner]),
  ]);
}

const waits: Record<HeldPart, string> = {
  drain: 'The drain waits for',
  instance: 'The deletion of the instance waits for',
};

/** Words of the condition, and of all else that reports the hold. */
export function formatHold({ part, hooks }: Hold): string {
  return `${waits[part]} ${hooks.map(formatHook).join(', ')}`;
}
